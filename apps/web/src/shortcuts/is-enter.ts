import type { KeyboardEvent } from "react";

/** The part of a keyboard event that says whether an input method takes the key. */
type Composed = Pick<KeyboardEvent, "keyCode"> & {
  nativeEvent: Pick<KeyboardEvent["nativeEvent"], "isComposing">;
};

/**
 * Whether an input method takes the key, as those for Japanese and Chinese do: Enter confirms the word that is being
 * written, and Escape cancels it. Safari tells it for that Enter only by the key code.
 */
export const isComposing = ({ nativeEvent, keyCode }: Composed): boolean =>
  nativeEvent.isComposing || keyCode === 229;

/** Whether Enter was pressed, and not to confirm a word of an input method. */
export const isEnter = (event: Composed & Pick<KeyboardEvent, "key">): boolean =>
  event.key === "Enter" && !isComposing(event);
