import { z } from "zod";

/** Text that can be stored: databases take neither NUL characters nor halves of a pair. */
export const Text = z
  .string()
  .refine(
    (text) => !text.includes("\0") && text.isWellFormed(),
    "must not contain NUL characters or halves of a character",
  );
