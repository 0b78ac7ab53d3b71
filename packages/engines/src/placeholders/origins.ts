import { z } from "zod";
import type { Token } from "./tokenizer.ts";

/**
 * From `text` on, the compiled statement is the query's own text from `sql` on; where it was `replaced`, all of it
 * stands for the token there.
 */
export const Origin = z.object({ text: z.int(), sql: z.int(), replaced: z.boolean() });
export type Origin = z.infer<typeof Origin>;

/** `texts` holds what each token became. */
export function findOrigins(tokens: Token[], texts: string[]): Origin[] {
  const origins: Origin[] = [];
  let offset = 0;
  for (const [index, { text, start }] of tokens.entries()) {
    const written = texts[index] ?? "";
    const replaced = written !== text;
    if (replaced || (origins.at(-1)?.replaced ?? true)) origins.push({ text: offset, sql: start, replaced });
    offset += written.length;
  }
  return origins;
}

/** The offset in the query's text of an offset in the compiled statement. */
export function originOf(origins: readonly Origin[], offset: number): number {
  const from = origins.findLast(({ text }) => text <= offset);
  if (!from) return 0;
  return from.replaced ? from.sql : from.sql + offset - from.text;
}
