import { z } from "zod";

/** Text that databases can store: without NUL characters and lone surrogates. */
export const Text = z
  .string()
  .refine(
    (text) => !text.includes("\0") && text.isWellFormed(),
    "must not contain NUL characters or halves of a character",
  );

/** Without what Postgres cannot store: NUL characters and halves of a character. */
export const toStorable = (text: string): string => text.toWellFormed().replaceAll("\0", "");

/** The beginning of a text, with no half of a character at its end. */
export const cutText = (text: string, maxLength: number): string =>
  text.slice(0, maxLength).replace(/\p{Cs}$/u, "");
