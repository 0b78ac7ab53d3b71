import { z } from "zod";
import type { Token } from "./tokenizer.ts";

/**
 * Maps positions of the compiled statement to the query's SQL: from offset `text` on it is the SQL from offset `sql`
 * on. If `replaced`, all of it replaces the token at `sql`.
 */
export const Origin = z.object({ text: z.int(), sql: z.int(), replaced: z.boolean() });
export type Origin = z.infer<typeof Origin>;

/** Collects the origins of a statement, token by token. */
export class OriginMap {
  readonly list: Origin[] = [];
  #length = 0;

  /** `length` is the length of the token in the compiled statement. */
  add({ start }: Pick<Token, "start">, length: number, replaced: boolean): void {
    if (replaced || (this.list.at(-1)?.replaced ?? true)) {
      this.list.push({ text: this.#length, sql: start, replaced });
    }
    this.#length += length;
  }
}

/** The offset in the query's text of an offset in the compiled statement. */
export function originOf(origins: readonly Origin[], offset: number): number {
  const from = origins.findLast(({ text }) => text <= offset);
  if (!from) return 0;
  return from.replaced ? from.sql : from.sql + offset - from.text;
}
