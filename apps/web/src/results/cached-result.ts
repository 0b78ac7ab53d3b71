import type { Inputs } from "@querybell/client";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../api.ts";
import { Failure } from "../errors/failure.ts";

type GetResult = Inputs["queries"]["findResult"];

const scope = "cached result";

/** Matches the cached results of all queries. */
export const cachedResults = { queryKey: [scope] };

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
      if (found.kind === "missing") throw new Failure(found.message, found.reason);
      return found.result;
    },
  });
