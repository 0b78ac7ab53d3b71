import { Badge, Button, Group, Select, Skeleton, Stack, Table, Text, TextInput } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { IconPlus, IconSearch } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { RunBadge } from "../../runs/run-state.tsx";
import { useMemberName } from "../../session/me.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { AnchorTo, ButtonTo } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { useAddressText } from "../../ui/time-range-fields.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import classes from "./queries-page.module.css";
import { queryTitle } from "./query-title.ts";

type Query = Outputs["queries"]["list"]["items"][number];

const route = getRouteApi("/app/queries");

/** Every query of the organization, newest first. */
export function QueriesPage() {
  const { search = "", createdBy, database } = route.useSearch();
  const words = search.trim();
  const filter = {
    ...(words !== "" && { search: words }),
    ...(createdBy !== undefined && { createdBy }),
    ...(database !== undefined && { analyticalDatabaseConfigId: database }),
  };
  const list = useInfiniteQuery(
    trpc.queries.list.infiniteQueryOptions(
      { ...filter, limit: 50 },
      { getNextPageParam: ({ nextCursor }) => nextCursor },
    ),
  );
  const queries = list.data?.pages.flatMap(({ items }) => items);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <PageHeader title="Queries" description="Saved SQL: what runs, is charted and shared.">
        <ButtonTo to="/queries/drafts" variant="default">
          Drafts
        </ButtonTo>
        <ButtonTo to="/queries/new" leftSection={<IconPlus size={16} />}>
          New query
        </ButtonTo>
      </PageHeader>
      <Filters />
      {list.error && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
      {!queries && !list.error && <LoadingRows />}
      {queries?.length === 0 && !isFiltered && (
        <EmptyState
          title="No queries yet"
          description="A query is a SQL statement on one of your databases. Save it, run it, turn its result into a chart, and share that by a link."
        >
          <ButtonTo to="/queries/new">Write the first query</ButtonTo>
        </EmptyState>
      )}
      {queries?.length === 0 && isFiltered && <Text c="dimmed">No query fits these filters.</Text>}
      {queries && queries.length > 0 && <QueryTable queries={queries} />}
      {list.hasNextPage && (
        <Button
          variant="default"
          mt="md"
          loading={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </>
  );
}

function Filters() {
  const members = useQuery(trpc.members.list.queryOptions());
  const databases = useQuery(trpc.databases.list.queryOptions());
  const { search, createdBy, database } = route.useSearch();
  const navigate = route.useNavigate();
  const set = (changed: object) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  const [text, setText] = useAddressText(search ?? "", (typed) => set({ search: typed || undefined }));
  return (
    <Group mb="md" gap="sm">
      <TextInput
        aria-label="Search names and SQL"
        placeholder="Search names and SQL"
        leftSection={<IconSearch size={16} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        style={{ flex: "1 1 14rem", maxWidth: "24rem" }}
      />
      <Select
        aria-label="Created by"
        placeholder="Anybody"
        data={members.data?.map(({ userId, name }) => ({ value: userId, label: name })) ?? []}
        value={createdBy ?? null}
        onChange={(value) => set({ createdBy: value ?? undefined })}
        clearable
        searchable
        className={classes.filter ?? ""}
      />
      <Select
        aria-label="Database"
        placeholder="All databases"
        data={databases.data?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
        value={database ?? null}
        onChange={(value) => set({ database: value ?? undefined })}
        clearable
        className={classes.filter ?? ""}
      />
    </Group>
  );
}

function QueryTable({ queries }: { queries: readonly Query[] }) {
  const creatorName = useMemberName();
  const { data: databases } = useQuery(trpc.databases.list.queryOptions());
  return (
    <div className={classes.list}>
      <Table highlightOnHover verticalSpacing="sm" aria-label="Queries">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Query</Table.Th>
            <Table.Th className={classes.wide}>Created by</Table.Th>
            <Table.Th className={classes.wide}>Database</Table.Th>
            <Table.Th>Latest run</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {queries.map((query) => (
            <Table.Tr key={query.id}>
              <Table.Td>
                <AnchorTo
                  to="/queries/$queryId"
                  params={{ queryId: query.id }}
                  underline="hover"
                  className={classes.title ?? ""}
                >
                  {queryTitle(query)}
                </AnchorTo>
                <Text size="xs" c="dimmed" className={classes.sql}>
                  {query.name === null ? "Not named yet" : query.sql.replace(/\s+/g, " ").slice(0, 160)}
                </Text>
              </Table.Td>
              <Table.Td className={classes.wide}>{creatorName(query.createdBy)}</Table.Td>
              <Table.Td className={classes.wide}>
                <DatabaseName id={query.analyticalDatabaseConfigId} databases={databases} />
              </Table.Td>
              <Table.Td>
                {query.latestRun ? (
                  <Group gap={6}>
                    <RunBadge
                      status={query.latestRun.status}
                      failureCode={query.latestRun.failureCode ?? undefined}
                    />
                    <Text size="sm" c="dimmed">
                      <Timestamp at={query.latestRun.runAt} format="relative" />
                    </Text>
                  </Group>
                ) : (
                  <Text size="sm" c="dimmed">
                    Never run
                  </Text>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

interface DatabaseNameProps {
  id: string;
  databases: readonly { id: string; name: string }[] | undefined;
}

function DatabaseName({ id, databases }: DatabaseNameProps) {
  if (!databases) return "…";
  return databases.find((one) => one.id === id)?.name ?? <Badge variant="default">Deleted</Badge>;
}

const LoadingRows = () => (
  <Stack gap="sm" aria-busy="true">
    {Array.from({ length: 6 }, (_, index) => (
      <Skeleton key={String(index)} height={48} />
    ))}
  </Stack>
);
