import type { StepResult } from "../agent.ts";
import type { ToolWork } from "../tools/tool-call.ts";

/** A result that the model can look into: of a query that it ran, or of the same query in the previous run. */
export interface KnownResult {
  id: string;
  title: string;
  stored: StepResult;
  /** The step that ran its query; null for a result of the previous run. */
  step: string | null;
  /** Whether the model wrote the SQL, and so chose the title and the names of the columns. */
  isOwnSql: boolean;
  /** Values that the model chose itself, in place of those of the automation. */
  modelValues: ModelValue[];
}

export interface ModelValue {
  name: string;
  /** Null if the model uses the query's default in place of the automation's value. */
  value: unknown;
}

/** The results of one run, by the ids that the model knows. A query has the same id whenever it is run again. */
export class KnownResults {
  readonly #ids = new Map<string, string>();
  readonly #results = new Map<string, KnownResult>();

  /** Names a query's result in the order in which the model first asks for it, which is the same after a takeover. */
  idOf(stepName: string): string {
    const id = this.#ids.get(stepName) ?? `r${this.#ids.size + 1}`;
    this.#ids.set(stepName, id);
    return id;
  }

  add({ step, title, isOwnSql, modelValues, result, previous }: AddedResult): void {
    const id = this.idOf(step);
    this.#results.set(id, { id, title, stored: result, step, isOwnSql, modelValues });
    if (!previous) return;
    const before = { id: previousId(id), title, stored: previous, step: null, isOwnSql, modelValues };
    this.#results.set(before.id, before);
  }

  find(id: string): KnownResult | undefined {
    return this.#results.get(id);
  }

  /** The results of this run, without those of the run before. */
  all(): KnownResult[] {
    return [...this.#results.values()].filter(({ step }) => step !== null);
  }
}

interface AddedResult {
  step: string;
  title: string;
  isOwnSql: boolean;
  modelValues: ModelValue[];
  result: StepResult;
  previous: StepResult | null;
}

export const previousId = (id: string): string => `${id}_before`;

/** What the calls of one run share. */
export interface CallContext {
  work: ToolWork;
  results: KnownResults;
}
