import { z } from "zod";

export const Language = z.enum(["en", "de", "fr", "es"]);
export type Language = z.infer<typeof Language>;

const operations = [
  ...(["value", "total", "average", "smallest", "largest", "count", "distinct", "groups", "empty"] as const),
  ...(["change", "compare", "share", "top", "bottom", "rank", "list", "movers"] as const),
  ...(["new_rows", "gone_rows", "changes", "periods", "latest", "gaps"] as const),
] as const;
export const Operation = z.enum(operations);
export type Operation = z.infer<typeof Operation>;

/** Other words for the same. */
const synonyms: Record<string, Operation> = {
  ...{ sum: "total", mean: "average", avg: "average", cell: "value" },
  ...{ min: "smallest", minimum: "smallest", lowest: "smallest", earliest: "smallest" },
  ...{ max: "largest", maximum: "largest", highest: "largest" },
  ...{ rows: "count", number: "count", count_distinct: "distinct", distinct_count: "distinct" },
  ...{ difference: "compare", comparison: "compare", percentage: "share", percent: "share" },
  ...{ change_percent: "change", growth: "change", ranking: "rank", values: "list", group: "groups" },
  ...{ new: "new_rows", added: "new_rows", gone: "gone_rows", removed: "gone_rows" },
  ...{ period: "periods", coverage: "periods", range: "periods", freshness: "latest", missing: "gaps" },
};

export const operationNamed = (word: string): Operation | undefined =>
  Operation.safeParse(word).data ?? (Object.hasOwn(synonyms, word) ? synonyms[word] : undefined);

export const Comparator = z.enum(["=", "!=", "<", "<=", ">", ">="]);
export type Comparator = z.infer<typeof Comparator>;

const Attribute = z.object({
  name: z.string().max(200),
  comparator: Comparator,
  value: z.string().max(200),
});
export type Attribute = z.infer<typeof Attribute>;

/** What stands in double braces: one statement that Querybell computes and words. */
export const Slot = z.object({ operation: Operation, attributes: z.array(Attribute).max(20) });
export type Slot = z.infer<typeof Slot>;

/** A slot cannot be filled. The message says why, for whoever wrote it. */
export class SlotRefusal extends Error {
  override readonly name = "SlotRefusal";
}

export const refuse = (reason: string): never => {
  throw new SlotRefusal(reason.slice(0, 500));
};
