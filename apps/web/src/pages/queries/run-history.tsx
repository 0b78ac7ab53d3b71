import { Button, Code, Collapse, Group, Skeleton, Table, Text, VisuallyHidden } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { describeValues } from "../../parameters/parameter-values.ts";
import { RunBadge } from "../../runs/run-state.tsx";
import { CopyButton } from "../../ui/copyable.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import classes from "./query-page.module.css";

type Run = Outputs["runs"]["list"]["items"][number];

/** A query's runs, newest first: who started each, its duration, its values and its statement. */
export function RunHistory({ queryId, version }: { queryId: string; version: number }) {
  const list = useInfiniteQuery(
    trpc.runs.list.infiniteQueryOptions(
      { queryId, limit: 20 },
      { getNextPageParam: ({ nextCursor }) => nextCursor },
    ),
  );
  const runs = list.data?.pages.flatMap(({ items }) => items);
  if (list.error) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />;
  if (!runs) return <Skeleton height={200} />;
  if (runs.length === 0) return <Text c="dimmed">This query has not run yet.</Text>;
  return (
    <div className={classes.scroll}>
      <Table aria-label="Runs" verticalSpacing="xs" className={classes.runs ?? ""}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Run</Table.Th>
            <Table.Th>Started by</Table.Th>
            <Table.Th>Took</Table.Th>
            <Table.Th>Rows</Table.Th>
            <Table.Th>Parameters</Table.Th>
            <Table.Th>
              <VisuallyHidden>Details</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {runs.map((run) => (
            <RunRow key={run.id} run={run} isEarlier={run.queryVersion !== version} />
          ))}
        </Table.Tbody>
      </Table>
      {list.hasNextPage && (
        <Button
          variant="default"
          size="xs"
          mt="sm"
          loading={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </div>
  );
}

function RunRow({ run, isEarlier }: { run: Run; isEarlier: boolean }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Fragment>
      <Table.Tr>
        <Table.Td>
          <RunBadge status={run.status} failureCode={run.failure?.code} />
          <Text size="sm" className={classes.moment ?? ""}>
            <Timestamp at={run.runAt} format="relative" />
          </Text>
          {isEarlier && (
            <Text size="xs" c="dimmed">
              of an earlier version
            </Text>
          )}
        </Table.Td>
        <Table.Td>{starter(run.startedBy)}</Table.Td>
        <Table.Td>{duration(run)}</Table.Td>
        <Table.Td>{run.rowsWritten?.toLocaleString() ?? "–"}</Table.Td>
        <Table.Td className={classes.values}>{describeValues(run.parameterValues) || "–"}</Table.Td>
        <Table.Td>
          <Button size="compact-xs" variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Hide the SQL" : "Show the SQL"}
          </Button>
        </Table.Td>
      </Table.Tr>
      {isOpen && (
        <Table.Tr>
          <Table.Td colSpan={6}>
            <Collapse expanded>
              {run.failure && (
                <Text size="sm" c="var(--qb-bad)" mb="xs" style={{ whiteSpace: "pre-wrap" }}>
                  {run.failure.message}
                </Text>
              )}
              <Group align="flex-start" wrap="nowrap" gap="xs">
                <Code block className={classes.rendered ?? ""}>
                  {run.renderedSql}
                </Code>
                <CopyButton value={run.renderedSql} what="the SQL" />
              </Group>
            </Collapse>
          </Table.Td>
        </Table.Tr>
      )}
    </Fragment>
  );
}

function starter({ kind, name }: Run["startedBy"]): string {
  if (kind === "user") return name ?? "A former member";
  return kind === "key" ? `Key: ${name ?? "revoked"}` : `Automation: ${name ?? "deleted"}`;
}

const seconds = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

function duration({ startedAt, completedAt }: Run): string {
  if (startedAt === null || completedAt === null) return "–";
  return `${seconds.format((Date.parse(completedAt) - Date.parse(startedAt)) / 1000)} s`;
}
