import { Button, Group, Progress, Text } from "@mantine/core";
import { isSameTexts, type ValueTexts } from "../../parameters/parameter-values.ts";
import { Timestamp } from "../../ui/timestamp.tsx";
import type { Dashboard } from "./dashboard.ts";
import type { LoadedCharts } from "./use-loaded-charts.ts";
import type { useRefresh } from "./use-refresh.ts";

interface RefreshBarProps {
  dashboard: Pick<Dashboard, "nextRefreshAt" | "refreshFailure">;
  loaded: LoadedCharts | undefined;
  refresh: ReturnType<typeof useRefresh>;
  /** Of the filters, as the address has them. */
  values: ValueTexts;
}

/** The moment that the tiles show and, during a refresh, its progress. */
export function RefreshBar({ dashboard, loaded, refresh, values }: RefreshBarProps) {
  const { isRefreshing, progress, cancel } = refresh;
  const { runsDone = 0, runsTotal = 0 } = progress ?? {};
  const { nextRefreshAt, refreshFailure } = dashboard;
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {loaded && <Instants {...loaded} />}
        {loaded && !isSameTexts(loaded.values, values) && " The tiles still show the values before."}
        {isRefreshing && ` Refreshing: ${runsDone} of ${runsTotal} queries have run.`}
      </Text>
      {nextRefreshAt && (
        <Text size="sm" c="dimmed">
          Next refresh: <Timestamp at={nextRefreshAt} />
        </Text>
      )}
      {refreshFailure !== null && (
        <Text size="sm" c="var(--qb-bad)">
          The last refresh by its schedule failed. {refreshFailure}
        </Text>
      )}
      {isRefreshing && (
        <Group gap="xs" wrap="nowrap" maw="24rem">
          <Progress
            value={runsTotal === 0 ? 0 : (100 * runsDone) / runsTotal}
            flex={1}
            aria-label="Progress of the refresh"
          />
          <Button size="compact-sm" variant="default" onClick={() => void cancel()}>
            Cancel
          </Button>
        </Group>
      )}
    </>
  );
}

/** The moments that the tiles show. */
export function Instants({ instants, values }: Pick<LoadedCharts, "instants" | "values">) {
  const [first, ...others] = instants;
  const withValues = Object.keys(values).length > 0 ? " with these values" : "";
  if (!first) return `Not refreshed${withValues} yet.`;
  if (others.length === 0) {
    return (
      <>
        As of <Timestamp at={first.at} format="seconds" />
        {withValues && ","}
        {withValues}.
      </>
    );
  }
  return instants.map(({ databaseId, name, at }, index) => (
    <span key={databaseId}>
      {index > 0 && ", "}
      {name} as of <Timestamp at={at} format="seconds" />
    </span>
  ));
}
