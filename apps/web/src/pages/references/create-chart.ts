import { findOpenPlaceholders } from "@querybell/statements/tokenizer";
import { api, queryClient, trpc } from "../../api.ts";
import { definitionsFor } from "../../parameters/parameter-values.ts";

/** Creates a chart of a query, with the parameters of its SQL. Returns its short id, for the page of its chart builder. */
export async function createChart(query: { id: string; name: string | null; sql: string }): Promise<string> {
  const names = findOpenPlaceholders(query.sql);
  const known = names.length === 0 ? [] : await api.queries.definitions.query({ id: query.id, names });
  const { shortId } = await api.references.create.mutate({
    queryId: query.id,
    // A chart of a query without a name is named on the next page.
    ...(query.name !== null && { title: query.name }),
    parameters: definitionsFor(names, known),
  });
  void queryClient.invalidateQueries(trpc.queries.references.queryFilter({ id: query.id }));
  void queryClient.invalidateQueries(trpc.references.list.queryFilter());
  void queryClient.invalidateQueries(trpc.library.pathFilter());
  return shortId;
}
