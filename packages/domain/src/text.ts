import { z } from "zod";

/** Text that databases can store: without NUL characters and lone surrogates. */
export const Text = z
  .string()
  .refine(
    (text) => !text.includes("\0") && text.isWellFormed(),
    "must not contain NUL characters or halves of a character",
  );
