/** One thing to say, worded at length first; a shorter wording serves where room is short. */
export interface Fact {
  wordings: string[];
  /** The position of the numeric column it speaks of, if it speaks of one. */
  column: number | null;
}

/** What there is to say of one reference, the most telling first. */
export interface Report {
  /** In its quotes. */
  title: string;
  /** Against the run before; unknown where there is nothing to compare. */
  state: "changed" | "same" | "unknown";
  head: string;
  facts: Fact[];
  /** How many numeric columns there are to speak of. */
  columnCount: number;
}

export const counted = (count: string, noun: string): string => `${count} ${noun}${count === "1" ? "" : "s"}`;
