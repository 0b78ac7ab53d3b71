import type { Inputs, Outputs } from "@querybell/client";
import { queryClient } from "../api.ts";
import { cachedResultOptions } from "../results/cached-result.ts";
import { meOptions } from "../session/me.ts";

interface PageRead {
  procedure: string;
  input?: unknown;
  data: unknown;
}

/** The query key that the options of `trpc` use for a procedure. */
const keyOf = ({ procedure, input }: PageRead) =>
  procedure === "me.get"
    ? meOptions.queryKey
    : [procedure.split("."), { ...(input !== undefined && { input }), type: "query" }];

/** Puts the responses that the api sent with the page into the query cache, so that they are not requested again. */
export function cachePageData(): void {
  const text = document.getElementById("page-data")?.textContent;
  if (!text) return;
  for (const read of JSON.parse(text) as PageRead[]) {
    if (read.procedure === "queries.findResult") cacheResult(read as ResultRead);
    else queryClient.setQueryData(keyOf(read), read.data);
  }
}

interface ResultRead {
  input: Inputs["queries"]["findResult"];
  data: Outputs["queries"]["findResult"];
}

/** A missing result is not cached. The page requests it again, because it may exist by then. */
function cacheResult({ input, data }: ResultRead): void {
  if (data.kind === "found") {
    queryClient.setQueryData(cachedResultOptions(input).queryKey, data.result);
  }
}
