import type { ResultPreview } from "@querybell/domain";
import type { StepResult } from "../agent.ts";

/** A result that the model can look into: of a query that it ran, or of the same query in the previous run. */
export interface KnownResult {
  id: string;
  title: string;
  stored: StepResult;
  /** The step that ran its query; null for a result of the previous run. */
  step: string | null;
  columns: string[];
  /** Whether the model wrote the SQL, and so chose the title and the names of the columns. */
  isOwnSql: boolean;
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

  add({ step, title, isOwnSql, result, previous, preview }: AddedResult): void {
    const id = this.idOf(step);
    const columns = preview.fields.map(({ name }) => name);
    this.#results.set(id, { id, title, stored: result, step, columns, isOwnSql });
    if (!previous) return;
    const before = { id: previousId(id), title, stored: previous, step: null, columns, isOwnSql };
    this.#results.set(before.id, before);
  }

  find(id: string): KnownResult | undefined {
    return this.#results.get(id);
  }

  all(): KnownResult[] {
    return [...this.#results.values()];
  }
}

interface AddedResult {
  step: string;
  title: string;
  isOwnSql: boolean;
  result: StepResult;
  previous: StepResult | null;
  preview: ResultPreview;
}

export const previousId = (id: string): string => `${id}_before`;
