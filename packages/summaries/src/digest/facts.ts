import { z } from "zod";
import type { Operation, Slot } from "../checked-summaries/slot.ts";

/** A reader on a phone wants no more of one result. */
export const maxFacts = 3;

// Limits of what a host may return, far above what a digest needs, so that a hostile host cannot fill the worker's memory.
const Sentence = z.string().max(2000);

/** One fact, in several wordings, the longest first. */
const Fact = z.object({ wordings: z.array(Sentence).min(1).max(10) });
export type Fact = z.infer<typeof Fact>;

/** The facts about one reference, the most important first. */
export const Report = z.object({
  /** In quotes. */
  title: Sentence,
  /** What the first fact is about, if it says itself what the title says: "revenue" of "Revenue by month". */
  subject: Sentence.nullable(),
  /** Compared with the previous run; unknown if there is nothing to compare. */
  state: z.enum(["changed", "same", "unknown"]),
  facts: z.array(Fact).min(1).max(maxFacts),
});
export type Report = z.infer<typeof Report>;

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
