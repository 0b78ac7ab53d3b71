import { maxSplitRows } from "@querybell/charts/chart-data";
import type { ParameterDefinition } from "@querybell/domain";
import { findOpenPlaceholders } from "@querybell/statements/tokenizer";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { trpc } from "../../api.ts";
import { LoadFailure } from "../../errors/not-found.tsx";
import { LoadingFrame } from "../../frame/frames.tsx";
import { definitionsFor, withDefaults } from "../../parameters/parameter-values.ts";
import { toValueSearch, valuesInSearch } from "../../parameters/value-search.ts";
import { useResult } from "../../results/use-result.ts";
import { useResultOfValues } from "../../results/use-result-of-values.ts";
import { useAwaitedRun } from "../../runs/use-run.ts";
import { ButtonTo } from "../../ui/links.tsx";
import { ChartEditor, untitled } from "./chart-editor.tsx";
import { NothingToDraw } from "./edit-page.tsx";
import { createChart } from "./save-chart.ts";

const route = getRouteApi("/app/charts/new");

/** A chart that is not saved yet, of the result for the values in the address. They become its defaults. */
export function NewChartPage() {
  const search = route.useSearch();
  const { query: queryId } = search;
  const values = valuesInSearch(search);
  const { data: query, error, refetch } = useQuery(trpc.queries.get.queryOptions({ id: queryId }));
  const names = query ? findOpenPlaceholders(query.sql) : [];
  const known = useQuery(
    trpc.queries.definitions.queryOptions({ id: queryId, names }, { enabled: names.length > 0 }),
  );
  const definitions = definitionsFor(names, known.data ?? []);
  const isReady = query !== undefined && (names.length === 0 || known.data !== undefined);
  const found = useResultOfValues({ queryId, definitions, values, isEnabled: isReady });
  const awaited = useAwaitedRun(queryId, found.failure !== undefined);
  const { rows, result, error: unread } = useResult(found.info?.runId, maxSplitRows, found.state);
  const failure = error ?? known.error;
  if (!isReady && failure) return <LoadFailure error={failure} onRetry={() => void refetch()} />;
  if (!isReady) return <LoadingFrame />;
  const title = query.name ?? untitled;
  const back = { queryId, search: { tab: "references" as const, ...toValueSearch(values) } };
  if (!rows || !result || !found.info) {
    if (!found.failure && !unread) return <LoadingFrame />;
    return <NothingToDraw title={title} query={back} isRunning={awaited !== undefined} />;
  }
  // Without values in the address, a result of other values than the defaults is shown if there is no other.
  const builtOn: ParameterDefinition[] = withDefaults(
    definitions,
    found.isOfOtherValues ? found.info.parameterValues : values,
  );
  return (
    <ChartEditor
      chart={{ title, visualization: undefined, parameters: builtOn }}
      rows={rows}
      result={result}
      back={
        <ButtonTo variant="default" to="/queries/$queryId" params={{ queryId }} search={back.search}>
          Back
        </ButtonTo>
      }
      onSave={(chart) => createChart(queryId, chart)}
    />
  );
}
