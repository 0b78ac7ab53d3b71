import { z } from "zod";

export const Language = z.enum(["en", "de", "fr", "es"]);
export type Language = z.infer<typeof Language>;

export const Operation = z.enum([
  "value",
  "total",
  "average",
  "smallest",
  "largest",
  "count",
  "distinct",
  "groups",
  "empty",
  "change",
  "compare",
  "share",
  "top",
  "bottom",
  "rank",
  "list",
  "movers",
  "new_rows",
  "gone_rows",
  "changes",
  "periods",
  "latest",
  "gaps",
]);
export type Operation = z.infer<typeof Operation>;

/** The value of each word, given the words of each value. */
export const byWord = <Value>(wordsOf: readonly (readonly [Value, string])[]): ReadonlyMap<string, Value> =>
  new Map(wordsOf.flatMap(([value, words]) => words.split(" ").map((word) => [word, value] as const)));

/** Other words for the operations. */
const synonyms = byWord<Operation>([
  ["value", "cell"],
  ["total", "sum"],
  ["average", "mean avg"],
  ["smallest", "min minimum lowest earliest"],
  ["largest", "max maximum highest"],
  ["count", "rows number"],
  ["distinct", "count_distinct distinct_count"],
  ["groups", "group"],
  ["change", "change_percent growth"],
  ["compare", "difference comparison"],
  ["share", "percentage percent"],
  ["rank", "ranking"],
  ["list", "values"],
  ["new_rows", "new added"],
  ["gone_rows", "gone removed"],
  ["periods", "period coverage range"],
  ["latest", "freshness"],
  ["gaps", "missing"],
]);

export const operationNamed = (word: string): Operation | undefined =>
  Operation.safeParse(word).data ?? synonyms.get(word);

export const Comparator = z.enum(["=", "!=", "<", "<=", ">", ">="]);
export type Comparator = z.infer<typeof Comparator>;

const Attribute = z.object({
  name: z.string().max(200),
  comparator: Comparator,
  value: z.string().max(200),
});
export type Attribute = z.infer<typeof Attribute>;

/** The content of double braces: one statement that Querybell computes and writes. */
export const Slot = z.object({ operation: Operation, attributes: z.array(Attribute).max(20) });
export type Slot = z.infer<typeof Slot>;

/** A slot cannot be filled. The message tells its writer why. */
export class SlotRefusal extends Error {
  override readonly name = "SlotRefusal";
}

export const refuse = (reason: string): never => {
  throw new SlotRefusal(reason.slice(0, 500));
};
