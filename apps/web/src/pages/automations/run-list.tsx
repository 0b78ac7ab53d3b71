import { Button, Group, Paper, Skeleton, Stack, Text } from "@mantine/core";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { pluralize } from "../../format/pluralize.ts";
import { durationOf } from "../../format/times.ts";
import {
  type AutomationRun,
  failureText,
  isUnfinished,
  RunState,
  UncheckedTag,
} from "../../runs/run-state.tsx";
import { useLiveSubscription } from "../../runs/use-live-subscription.ts";
import { useMemberName } from "../../session/me.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { AnchorTo } from "../../ui/links.tsx";
import { LoadMore } from "../../ui/load-more.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";

/** The runs of an automation, newest first. Updates while a run is unfinished. */
export function RunList({ automationId }: { automationId: string }) {
  const { data, error, refetch, ...more } = useInfiniteQuery({
    queryKey: trpc.automationRuns.list.infiniteQueryKey({ automationId }),
    queryFn: ({ pageParam, signal }) =>
      api.automationRuns.list.query({ automationId, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: 30_000,
  });
  const runs = data?.pages.flatMap(({ items }) => items);
  const active = runs?.find((run) => isUnfinished(run) && !run.isQueued);
  return (
    <>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {active && <RunWatcher key={active.id} id={active.id} />}
      {!runs && !error && <Skeleton height={180} />}
      {runs?.length === 0 && (
        <EmptyState title="It has not run yet" description="Run it now to see what it says." />
      )}
      {runs && runs.length > 0 && (
        <Stack component="ul" gap="sm" p={0} m={0} aria-label="Runs">
          {runs.map((run, index) => (
            <RunItem key={run.id} run={run} isNewest={index === 0} />
          ))}
        </Stack>
      )}
      {runs && runs.length > 0 && <LoadMore {...more} shown={pluralize(runs.length, "run")} />}
    </>
  );
}

/** Refetches the list whenever the active run has changed. */
function RunWatcher({ id }: { id: string }) {
  useLiveSubscription(
    trpc.automationRuns.watch.subscriptionOptions(
      { id },
      {
        onData({ run: { status } }) {
          if (status === "pending") return;
          void queryClient.invalidateQueries(trpc.automationRuns.list.pathFilter());
          if (status !== "running") void queryClient.invalidateQueries(trpc.automations.pathFilter());
        },
      },
    ),
  );
  return null;
}

interface RunItemProps {
  run: AutomationRun;
  /** Shown with its whole summary. */
  isNewest: boolean;
}

function RunItem({ run, isNewest }: RunItemProps) {
  const stop = useMutation(
    trpc.automationRuns.stop.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries(trpc.automationRuns.pathFilter()),
    }),
  );
  const took = durationOf(run);
  return (
    <Paper component="li" withBorder p="md" display="block">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <RunState run={run} />
          {run.summary !== null && <UncheckedTag agent={run.agent} />}
          <Text size="sm">
            <Timestamp at={run.runAt} />
          </Text>
          <Text size="sm" c="dimmed">
            <Starter triggerId={run.triggerId} />
            {took && `, took ${took}`}
          </Text>
        </Group>
        <Group gap="xs">
          {isUnfinished(run) && (
            <Button
              variant="default"
              size="compact-sm"
              onClick={() => !stop.isPending && stop.mutate({ id: run.id })}
            >
              {stop.isPending ? "Stopping…" : "Stop"}
            </Button>
          )}
          <AnchorTo to="/chats/$shortId" params={{ shortId: run.shortId }} size="sm">
            {isUnfinished(run) ? "Watch the chat" : "Read the chat"}
          </AnchorTo>
        </Group>
      </Group>
      {run.summary !== null && (
        <Text mt="xs" {...(!isNewest && { lineClamp: 3 })}>
          {run.summary}
        </Text>
      )}
      {run.failure && (
        <Text mt="xs" c={run.failure.code === "stopped" ? "dimmed" : "var(--qb-bad)"}>
          {failureText(run.failure)}
        </Text>
      )}
      {stop.error && <ErrorNotice error={stop.error} />}
    </Paper>
  );
}

/** What started a run, in words. */
function Starter({ triggerId }: { triggerId: string }) {
  const nameOf = useMemberName("a former member");
  const [kind, id = ""] = triggerId.split(":");
  if (kind === "schedule") return "by its schedule";
  if (kind === "key") return "with an API key";
  return `by ${nameOf(id)}`;
}
