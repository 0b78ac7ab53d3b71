import { Button, Group, Progress, Text } from "@mantine/core";
import { Timestamp } from "../../ui/timestamp.tsx";
import type { LoadedCharts } from "./use-loaded-charts.ts";
import type { useRefresh } from "./use-refresh.ts";

interface RefreshBarProps {
  loaded: LoadedCharts | undefined;
  refresh: ReturnType<typeof useRefresh>;
}

/** The moment that the tiles show and, during a refresh, its progress. */
export function RefreshBar({ loaded, refresh: { isRefreshing, progress, cancel } }: RefreshBarProps) {
  const { runsDone = 0, runsTotal = 0 } = progress ?? {};
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {loaded && <Instants instants={loaded.instants} />}
        {isRefreshing && ` Refreshing: ${runsDone} of ${runsTotal} queries have run.`}
      </Text>
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

function Instants({ instants }: Pick<LoadedCharts, "instants">) {
  const [first, ...others] = instants;
  if (!first) return "Not refreshed yet.";
  if (others.length === 0) {
    return (
      <>
        As of <Timestamp at={first.at} format="seconds" />.
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
