import type { ResultPreview } from "@querybell/domain";
import type { KeptResult } from "../agent.ts";

/** A result that the model has read, or that of the same query in the run before. */
export interface ReadResult {
  id: string;
  title: string;
  kept: KeptResult;
  /** The step that ran its query; null for a result of the run before. */
  step: string | null;
  columns: string[];
}

/** The results of one run, by the ids that the model knows. A query has the same id whenever it is run again. */
export class ReadResults {
  readonly #ids = new Map<string, string>();
  readonly #results = new Map<string, ReadResult>();

  /** Names a query's result in the order in which the model first asks for it, which is the same after a takeover. */
  idOf(stepName: string): string {
    const id = this.#ids.get(stepName) ?? `r${this.#ids.size + 1}`;
    this.#ids.set(stepName, id);
    return id;
  }

  add({ step, title, result, previous, preview }: AddedResult): void {
    const id = this.idOf(step);
    const columns = preview.fields.map(({ name }) => name);
    this.#results.set(id, { id, title, kept: result, step, columns });
    if (previous)
      this.#results.set(beforeId(id), { id: beforeId(id), title, kept: previous, step: null, columns });
  }

  find(id: string): ReadResult | undefined {
    return this.#results.get(id);
  }

  all(): ReadResult[] {
    return [...this.#results.values()];
  }
}

interface AddedResult {
  step: string;
  title: string;
  result: KeptResult;
  previous: KeptResult | null;
  preview: ResultPreview;
}

export const beforeId = (id: string): string => `${id}_before`;
