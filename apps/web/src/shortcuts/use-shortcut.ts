import { useEffect, useRef } from "react";
import { isShortcut, type ShortcutName } from "./shortcuts.ts";

interface ShortcutOptions {
  /** Whether it also works while the user types into a field or the editor. */
  worksInFields?: boolean;
}

/** Calls the handler when the keys of the shortcut are pressed, anywhere on the page. */
export function useShortcut(
  name: ShortcutName,
  handler: () => void,
  { worksInFields = false }: ShortcutOptions = {},
): void {
  const latest = useRef(handler);
  latest.current = handler;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isShortcut(event, name) || (!worksInFields && isField(event.target))) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [name, worksInFields]);
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));
