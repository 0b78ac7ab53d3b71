import { z } from "zod";

// What a host answers is held to these, far above what a digest is made of: the worker must be able to hold it.
const Sentence = z.string().max(2000);

/** One thing to say, worded at length first; a shorter wording serves where room is short. */
const Fact = z.object({
  wordings: z.array(Sentence).max(10),
  /** The position of the numeric column it speaks of, if it speaks of one. */
  column: z.int().nullable(),
});
export type Fact = z.infer<typeof Fact>;

/** What there is to say of one reference, the most telling first. */
export const Report = z.object({
  /** In its quotes. */
  title: Sentence,
  /** Against the run before; unknown where there is nothing to compare. */
  state: z.enum(["changed", "same", "unknown"]),
  head: Sentence,
  facts: z.array(Fact).max(100),
  /** How many numeric columns there are to speak of. */
  columnCount: z.int(),
});
export type Report = z.infer<typeof Report>;

export const counted = (count: string, noun: string): string => `${count} ${noun}${count === "1" ? "" : "s"}`;
