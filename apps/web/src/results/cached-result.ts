import type { Inputs, Outputs } from "@querybell/client";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../api.ts";
import { Failure } from "../errors/failure.ts";

type GetResult = Inputs["queries"]["findResult"];
export type ResultInfo = Outputs["queries"]["result"];

const scope = "cached result";

/** Matches the cached results of all queries. */
export const cachedResults = { queryKey: [scope] };

/** That there is no result to show. */
export class MissingResult extends Failure {
  /** The one that has expired, while it is kept. */
  readonly expired: ResultInfo | undefined;

  constructor(message: string, reason: string, expired: ResultInfo | null) {
    super(message, reason);
    this.expired = expired ?? undefined;
  }
}

/**
 * The cached result of a query. A missing result is a `Failure` with the reason as its code. The api answers
 * it without an error, because browsers log every response with an error status, and this is an ordinary
 * state of a page.
 */
export const cachedResultOptions = (input: GetResult) =>
  queryOptions({
    queryKey: [scope, input],
    queryFn: async ({ signal }) => {
      const found = await api.queries.findResult.query(input, { signal });
      if (found.kind === "missing") throw new MissingResult(found.message, found.reason, found.expired);
      return found.result;
    },
  });
