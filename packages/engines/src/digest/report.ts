import { z } from "zod";

// Limits of what a host may return, far above what a digest needs, so that a hostile host cannot fill the worker's memory.
const Sentence = z.string().max(2000);

/** One fact, in several wordings, the longest first. */
const Fact = z.object({
  wordings: z.array(Sentence).max(10),
  /** The position of the numeric column that it is about, if any. */
  column: z.int().nullable(),
});
export type Fact = z.infer<typeof Fact>;

/** The facts about one reference, the most important first. */
export const Report = z.object({
  /** In quotes. */
  title: Sentence,
  /** Compared with the previous run; unknown if there is nothing to compare. */
  state: z.enum(["changed", "same", "unknown"]),
  head: Sentence,
  facts: z.array(Fact).max(100),
  /** The number of numeric columns. */
  columnCount: z.int(),
});
export type Report = z.infer<typeof Report>;

export const counted = (count: string, noun: string): string => `${count} ${noun}${count === "1" ? "" : "s"}`;
