import { Button, Group, Stack, Text } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { describeValues } from "../../parameters/parameter-values.ts";
import type { FoundResult } from "../../results/use-result-of-values.ts";
import { RunProgress } from "../../runs/run-progress.tsx";
import type { WatchedRun } from "../../runs/use-run.ts";
import { NoteBadge } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";

interface ResultFreshnessProps {
  found: Pick<FoundResult, "info" | "isExpired" | "isOfOtherValues">;
  watched: WatchedRun;
  /** Absent: the page has another button that runs the query. */
  onRun?: () => void;
}

/** The age and the values of the result, and a button to refresh it. */
export function ResultFreshness({ found, watched, onRun }: ResultFreshnessProps) {
  const { info, isExpired, isOfOtherValues } = found;
  const values = info ? describeValues(info.parameterValues) : "";
  return (
    <Stack gap="xs" mb="md">
      <Group gap="xs">
        {info && (
          <>
            <Text size="sm">
              As of <Timestamp at={info.completedAt} format="relative" />
            </Text>
            {isExpired && (
              <NoteBadge>{watched.isUnfinished ? "expired: a new one is on its way" : "expired"}</NoteBadge>
            )}
            {info.isOutdated && <NoteBadge>of an earlier version of the SQL</NoteBadge>}
            {values !== "" && (
              <Text size="sm" c="dimmed">
                {isOfOtherValues && "Latest result, for "}
                {values}
              </Text>
            )}
            {onRun && !watched.isUnfinished && (
              <Button
                size="compact-sm"
                variant="default"
                leftSection={<IconRefresh size={14} />}
                onClick={onRun}
              >
                Refresh
              </Button>
            )}
          </>
        )}
      </Group>
      <RunProgress watched={watched} />
    </Stack>
  );
}
