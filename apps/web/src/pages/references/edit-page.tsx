import { Text } from "@mantine/core";
import { maxSplitRows } from "@querybell/charts/chart-data";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { trpc } from "../../api.ts";
import { LoadFailure } from "../../errors/not-found.tsx";
import { LoadingFrame } from "../../frame/frames.tsx";
import type { ValueSearch } from "../../parameters/value-search.ts";
import { useResult } from "../../results/use-result.ts";
import { useResultOfValues } from "../../results/use-result-of-values.ts";
import { useAwaitedRun } from "../../runs/use-run.ts";
import { ButtonTo } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { ChartEditor } from "./chart-editor.tsx";
import { updateChart } from "./save-chart.ts";

const route = getRouteApi("/app/q/$shortId/edit");

/** Edits a reference's chart and parameters. */
export function EditPage() {
  const { shortId } = route.useParams();
  const { data: reference, error, refetch } = useQuery(trpc.references.get.queryOptions({ shortId }));
  const queryId = reference?.currentQuery?.id;
  const found = useResultOfValues({
    queryId: queryId ?? "",
    shortId,
    definitions: reference?.inputs.definitions ?? [],
    values: {},
    isEnabled: queryId !== undefined,
  });
  const awaited = useAwaitedRun(queryId, found.failure !== undefined);
  const { rows, result, error: unread } = useResult(found.info?.runId, maxSplitRows, found.state);
  if (!reference && error) return <LoadFailure error={error} onRetry={refetch} />;
  if (!reference) return <LoadingFrame />;
  // Once there are rows they stay, also if the result expires while somebody edits its chart.
  if (!rows || !result) {
    if (found.failure || unread || queryId === undefined) {
      const query = queryId === undefined ? undefined : { queryId, search: {} };
      return <NothingToDraw title={reference.title} query={query} isRunning={awaited !== undefined} />;
    }
    return <LoadingFrame />;
  }
  const { title, visualization, inputs, updatedAt } = reference;
  return (
    <ChartEditor
      saved={{ shortId, updatedAt }}
      chart={{ title, visualization, parameters: inputs.definitions }}
      rows={rows}
      result={result}
      back={
        <ButtonTo variant="default" to="/q/$shortId" params={{ shortId }} search={{}}>
          Back
        </ButtonTo>
      }
      onSave={(chart, basedOn) => updateChart(shortId, chart, basedOn)}
    />
  );
}

interface NothingToDrawProps {
  title: string;
  /** The query to run, and the part of its address that has the values. */
  query: { queryId: string; search: ValueSearch } | undefined;
  isRunning: boolean;
}

export const NothingToDraw = ({ title, query, isRunning }: NothingToDrawProps) => (
  <>
    <PageHeader title={title} />
    <Text mb="md" role="status">
      {isRunning
        ? "A chart is made from a result. This query is running; its chart appears when it ends."
        : "A chart is made from a result, and this query has none that is still cached. Run it first."}
    </Text>
    {query && (
      <ButtonTo to="/queries/$queryId" params={{ queryId: query.queryId }} search={query.search}>
        Open the query
      </ButtonTo>
    )}
  </>
);
