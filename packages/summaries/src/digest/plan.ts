import type { Operation, Slot } from "../checked-summaries/slot.ts";

/** One fact in several wordings, the longest first. A wording is one or two slots. */
export type PlannedFact = Slot[][];

type Values = Record<string, string | readonly string[] | undefined>;

/** A slot, as a language model would write it. An attribute with several values is repeated. */
export function slot(operation: Operation, values: Values = {}): Slot {
  const attributes = Object.entries(values).flatMap(([name, value]) =>
    (typeof value === "string" ? [value] : (value ?? [])).map((one) => ({
      name,
      comparator: "=" as const,
      value: one,
    })),
  );
  return { operation, attributes };
}

/** Longer names do not fit into a slot. */
const maxName = 200;
export const canBeNamed = (name: string): boolean => name.length <= maxName;
