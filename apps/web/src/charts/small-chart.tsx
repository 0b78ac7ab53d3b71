import { Center, Skeleton, Text } from "@mantine/core";
import { rowsToRead } from "@querybell/charts/chart-data";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../api.ts";
import { useResult } from "../results/use-result.ts";
import { useResultOfValues } from "../results/use-result-of-values.ts";
import { useAwaitedRun } from "../runs/use-run.ts";
import { Chart } from "./chart.tsx";
import type { Reference } from "./visualization.ts";

const table = {
  type: "table" as const,
  jsxConfig: "",
  marginConfig: { top: 0, right: 0, bottom: 0, left: 0 },
};

interface SmallChartProps {
  shortId: string;
  height?: number;
}

/** A reference's chart for a card, drawn from the cached result of its defaults. It never runs the query. */
export function SmallChart({ shortId, height = 120 }: SmallChartProps) {
  const { data: reference, error } = useQuery(trpc.references.get.queryOptions({ shortId }));
  if (error) return <EmptyChart height={height}>The chart could not be loaded.</EmptyChart>;
  if (!reference) return <Skeleton height={height} />;
  const queryId = reference.currentQuery?.id;
  if (queryId === undefined) return <EmptyChart height={height}>It waits for its query.</EmptyChart>;
  return <Loaded reference={reference} queryId={queryId} height={height} />;
}

interface LoadedProps {
  reference: Reference;
  queryId: string;
  height: number;
}

function Loaded({ reference, queryId, height }: LoadedProps) {
  const { shortId, inputs } = reference;
  const found = useResultOfValues({ queryId, shortId, definitions: inputs.definitions, values: {} });
  const awaited = useAwaitedRun(queryId, found.failure !== undefined);
  const visualization = reference.visualization ?? table;
  const { rows, error } = useResult(found.info?.runId, rowsToRead(visualization), found.state);
  if (awaited !== undefined) return <EmptyChart height={height}>Running…</EmptyChart>;
  if (found.failure || error) return <EmptyChart height={height}>No cached result</EmptyChart>;
  if (!rows) return <Skeleton height={height} />;
  if (visualization.type === "table") {
    return <EmptyChart height={height}>{`A table of ${rows.rowCount.toLocaleString()} rows`}</EmptyChart>;
  }
  return <Chart visualization={visualization} rows={rows} label={reference.title} height={height} isSmall />;
}

const EmptyChart = ({ height, children }: { height: number; children: string }) => (
  <Center h={height}>
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  </Center>
);
