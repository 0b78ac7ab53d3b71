import { Button, Group, Paper, Select, Skeleton, Table, Text, Title } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import type { ChartRows } from "@querybell/charts/chart-data";
import type { Inputs, Outputs } from "@querybell/client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Suspense, useMemo, useState } from "react";
import { trpc } from "../../api.ts";
import { LazyChart } from "../../charts/lazy-chart.tsx";
import type { Visualization } from "../../charts/visualization.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { formatNumber, pluralize } from "../../format/pluralize.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { NoteBadge } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import classes from "./past-results.module.css";

type PastItem = Outputs["queries"]["pastResults"]["items"][number];

interface PastResultsProps {
  /** The chart and its values. */
  of: { queryId: string; shortId: string; parameterValues: Inputs["queries"]["run"]["parameterValues"] };
  at: string | undefined;
  /** The past result that the page shows. */
  shown: PastItem | undefined;
  /** Shows the result of a moment; undefined for the newest. */
  onChoose: (at: string | undefined) => void;
}

/** The past results of a chart: a slider, a chart of one number of each, and a list. */
export function PastResults({ of: { queryId: id, shortId, parameterValues }, ...props }: PastResultsProps) {
  const [column, setColumn] = useState<string | null>(null);
  const [measure, setMeasure] = useState<Measure>("first");
  const input = { id, shortId, parameterValues, ...(column !== null && { column }) };
  const options = trpc.queries.pastResults.queryOptions(input);
  const { data, error, refetch } = useQuery({ ...options, placeholderData: keepPreviousData });
  const items = useMemo(() => data?.items.toReversed() ?? [], [data]);
  if (error && !data) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <Skeleton height={200} mb="md" />;
  return (
    <Paper withBorder p="md" mb="md" component="section" aria-label="Past results">
      <Title order={2} size="h5" mb="xs">
        Past results
      </Title>
      {items.length === 0 ? (
        <Text c="dimmed" size="sm">
          {data.days === 0
            ? "This organization keeps no past results. An admin can change that in the settings."
            : "None yet for these values. Each completed run adds one."}
        </Text>
      ) : (
        <>
          <MomentSlider items={items} {...props} />
          <Group gap="xs" mt="md" align="flex-end">
            <Select
              label="Over time"
              size="xs"
              data={[
                { value: "", label: "Number of rows" },
                ...data.columns.map((name) => ({ value: name, label: name })),
              ]}
              value={column ?? ""}
              allowDeselect={false}
              onChange={(chosen) => setColumn(chosen === "" ? null : chosen)}
            />
            {column !== null && (
              <Select
                label="Figure"
                size="xs"
                data={measures}
                value={measure}
                allowDeselect={false}
                onChange={(chosen) =>
                  setMeasure(measures.find(({ value }) => value === chosen)?.value ?? "first")
                }
              />
            )}
          </Group>
          <NumberChart items={items} column={column} measure={measure} />
          <MomentList
            items={data.items}
            hasMore={data.hasMore}
            read={(item) => figureOf(item, column, measure)}
            {...props}
          />
        </>
      )}
    </Paper>
  );
}

type Measure = "first" | "sum" | "minimum" | "maximum";
const measures: { value: Measure; label: string }[] = [
  { value: "first", label: "First row" },
  { value: "sum", label: "Sum" },
  { value: "minimum", label: "Minimum" },
  { value: "maximum", label: "Maximum" },
];

/** As a text with all digits. */
const figureOf = (item: PastItem, column: string | null, measure: Measure): string | null =>
  column === null ? String(item.rowCount) : (item.figures?.[measure] ?? null);

type Choosing = Pick<PastResultsProps, "at" | "shown" | "onChoose">;

const settleMs = 150;

/** One step for each result, the oldest at the left. */
function MomentSlider({ items, at, shown, onChoose }: Choosing & { items: readonly PastItem[] }) {
  const last = items.length - 1;
  const found = at === undefined ? last : items.findIndex(({ runId }) => runId === shown?.runId);
  const [moved, setMoved] = useState<number>();
  const settle = useDebouncedCallback((position: number) => {
    setMoved(undefined);
    onChoose(position === last ? undefined : items[position]?.completedAt);
  }, settleMs);
  const position = moved ?? Math.max(0, found);
  const move = (to: number) => {
    setMoved(to);
    settle(to);
  };
  const item = items[position];
  return (
    <>
      <input
        type="range"
        className={classes.slider}
        aria-label="Moment"
        aria-valuetext={item ? new Date(item.completedAt).toLocaleString() : undefined}
        min={0}
        max={last}
        value={position}
        disabled={last === 0}
        onChange={({ currentTarget }) => move(Number(currentTarget.value))}
      />
      <Group gap="xs" justify="space-between">
        <Text size="sm" aria-live="polite">
          {item && (
            <>
              <Timestamp at={item.completedAt} format="seconds" />, {pluralize(item.rowCount, "row")}
              {position === last && moved === undefined && at === undefined && ", the newest"}
            </>
          )}
        </Text>
        <Group gap="xs">
          <Button
            size="compact-sm"
            variant="default"
            disabled={position === 0}
            onClick={() => move(position - 1)}
          >
            Earlier
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            disabled={position >= last}
            onClick={() => move(position + 1)}
          >
            Later
          </Button>
          {at !== undefined && (
            <Button size="compact-sm" onClick={() => onChoose(undefined)}>
              Show the newest
            </Button>
          )}
        </Group>
      </Group>
    </>
  );
}

const visualization: Visualization = {
  type: "line",
  jsxConfig:
    '<LineChart><XAxis dataKey="Completed" /><YAxis /><Tooltip /><Line dataKey="Value" dot={false} /></LineChart>',
  marginConfig: { top: 8, right: 16, bottom: 0, left: 0 },
};
const chartHeight = 180;

interface NumberChartProps {
  items: readonly PastItem[];
  column: string | null;
  measure: Measure;
}

/** One number of each result. */
function NumberChart({ items, column, measure }: NumberChartProps) {
  const rows = useMemo((): ChartRows => {
    const values = items.flatMap((item) => {
      const value = figureOf(item, column, measure);
      return value === null ? [] : [[item.completedAt, value]];
    });
    const fields = [
      { name: "Completed", type: "timestamp" as const },
      { name: "Value", type: "decimal" as const },
    ];
    return { fields, rows: values, rowCount: values.length };
  }, [items, column, measure]);
  if (rows.rowCount < 2) {
    return (
      <Text size="sm" c="dimmed" my="md">
        {items.length < 2
          ? "A chart of one number appears with the second result."
          : "The figures of this column are computed a minute or two after each run."}
      </Text>
    );
  }
  return (
    <LazyChart
      visualization={visualization}
      rows={rows}
      label="One number of each past result"
      height={chartHeight}
    />
  );
}

const ComparisonDialog = lazyPart(
  async () => (await import("../../results/comparison-dialog.tsx")).ComparisonDialog,
);

/** The earlier result first. */
const inOrder = (one: PastItem, other: PastItem) =>
  one.completedAt <= other.completedAt
    ? { from: one.runId, to: other.runId }
    : { from: other.runId, to: one.runId };

const firstRows = 10;

interface MomentListProps extends Choosing {
  /** Newest first. */
  items: readonly PastItem[];
  hasMore: boolean;
  read: (item: PastItem) => string | null;
}

function MomentList({ items, hasMore, read, at, shown, onChoose }: MomentListProps) {
  const [count, setCount] = useState(firstRows);
  const [compared, setCompared] = useState<PastItem>();
  const current = at === undefined ? items[0] : shown;
  return (
    <>
      <Table aria-label="List of past results" verticalSpacing={4} horizontalSpacing="xs" mt="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Completed</Table.Th>
            <Table.Th ta="right">Rows</Table.Th>
            <Table.Th ta="right">Value</Table.Th>
            <Table.Th>Actions</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.slice(0, count).map((item, index) => {
            const isShown = at === undefined ? index === 0 : item.runId === shown?.runId;
            return (
              <Table.Tr key={item.runId} aria-current={isShown || undefined}>
                <Table.Td>
                  <Timestamp at={item.completedAt} format="seconds" />
                  {item.isOutdated && <NoteBadge>of an earlier version of the SQL</NoteBadge>}
                </Table.Td>
                <Table.Td ta="right">{formatNumber(item.rowCount)}</Table.Td>
                <Table.Td ta="right" className={classes.value ?? ""}>
                  {read(item) ?? "–"}
                </Table.Td>
                <Table.Td>
                  {isShown ? (
                    <Text size="sm" c="dimmed">
                      Shown
                    </Text>
                  ) : (
                    <Group gap={4}>
                      <Button
                        size="compact-xs"
                        variant="subtle"
                        onClick={() => onChoose(index === 0 ? undefined : item.completedAt)}
                      >
                        Show
                      </Button>
                      <Button size="compact-xs" variant="subtle" onClick={() => setCompared(item)}>
                        Compare
                      </Button>
                    </Group>
                  )}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
      {compared && current && (
        <Suspense fallback={null}>
          <ComparisonDialog
            {...inOrder(compared, current)}
            title="Compared with the result that is shown"
            onClose={() => setCompared(undefined)}
          />
        </Suspense>
      )}
      {count < items.length && (
        <Button size="compact-sm" variant="default" mt="xs" onClick={() => setCount(count + 50)}>
          Show more
        </Button>
      )}
      {count >= items.length && hasMore && (
        <Text size="sm" c="dimmed" mt="xs">
          Older results are kept, too: open them by the time in the address, ?at=2026-01-31T09:00:00Z.
        </Text>
      )}
    </>
  );
}
