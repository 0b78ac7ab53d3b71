/** A change of the code that no test has noticed. */
export interface Survivor {
  file: string;
  /** The line on which the change begins, without its indentation. */
  line: string;
  /** `before → after`. */
  change: string;
}

export interface MutationResult {
  mutants: number;
  survivors: Survivor[];
}

export interface ExplainedSurvivor extends Survivor {
  because: string;
}
