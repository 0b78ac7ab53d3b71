import { z } from "zod";

/** Text that databases can store: without NUL characters and lone surrogates. */
export const Text = z
  .string()
  .refine(
    (text) => !text.includes("\0") && text.isWellFormed(),
    "must not contain NUL characters or halves of a character",
  );

/** Removes what Postgres cannot store: NUL characters and lone surrogates. */
export const toStorable = (text: string): string => text.toWellFormed().replaceAll("\0", "");

/** The beginning of a text. Never splits a surrogate pair. */
export const cutText = (text: string, maxLength: number): string =>
  text.slice(0, maxLength).replace(/\p{Cs}$/u, "");

/** The beginning of a text, with an ellipsis if something is missing. */
export const shorten = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${cutText(text, maxLength)}…` : text;

// A line break would add a line to a mail, a log or a CSV file. A bidirectional control character can make a
// name look like another one. Joiners, which emoji and Persian words need, are allowed.
const refused = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** A text in one line. For inputs only: names that were stored before this rule stay readable. */
export const OneLine = Text.trim().refine(
  (text) => !refused.test(text),
  "must be in one line, without control characters and characters that change the direction of text",
);

/** A name that a person gives to something. */
export const nameUpTo = (maxLength: number) =>
  OneLine.min(1, "must not be empty").max(maxLength, `must have at most ${maxLength} characters`);
