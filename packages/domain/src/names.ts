import { Text } from "./text.ts";

// A line break would add a line to a mail, a log or a CSV file. A character that changes the direction of text would
// show a name as another one. (Joiners of emoji and of Persian words are neither.)
const refused = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** A text in one line. For inputs only: names that were stored before this rule stay readable. */
export const OneLine = Text.trim().refine(
  (text) => !refused.test(text),
  "must be in one line, without control characters and characters that change the direction of text",
);

/** What a person calls something. */
export const nameUpTo = (maxLength: number) =>
  OneLine.min(1, "must not be empty").max(maxLength, `must have at most ${maxLength} characters`);
