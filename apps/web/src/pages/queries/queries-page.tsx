import { Badge, Group, Table, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { trpc } from "../../api.ts";
import { dragItems } from "../../library/drag.ts";
import { FavouriteButton } from "../../library/favourite-button.tsx";
import { ItemMenu } from "../../library/item-menu.tsx";
import type { ItemOf } from "../../library/items.ts";
import { libraryKinds } from "../../library/library-kinds.ts";
import { LibraryPage } from "../../library/library-page.tsx";
import { SelectItem, type Selection } from "../../library/selection.tsx";
import { RunBadge } from "../../runs/run-state.tsx";
import { useMe, useMemberName } from "../../session/me.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { AnchorTo, ButtonTo } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import classes from "./queries-page.module.css";

const route = getRouteApi("/app/queries");

/** The queries of the organization, in folders. */
export function QueriesPage() {
  const navigate = route.useNavigate();
  const { isMember } = useMe();
  return (
    <>
      <PageHeader title="Queries" description="Saved SQL: what runs, is charted and shared.">
        {isMember && (
          <>
            <ButtonTo to="/queries/drafts" variant="default">
              Drafts
            </ButtonTo>
            <ButtonTo to="/queries/new" leftSection={<IconPlus size={16} />}>
              New query
            </ButtonTo>
          </>
        )}
      </PageHeader>
      <LibraryPage
        kind={libraryKinds.query}
        search={route.useSearch()}
        onChange={(search) => void navigate({ search, replace: true })}
        searchLabel="Search names, descriptions and SQL"
        empty={
          <EmptyState
            title="No queries yet"
            description="A query is a SQL statement on one of your databases. Save it, run it, turn its result into a chart, and share that by a link."
          >
            <ButtonTo to="/queries/new">Write the first query</ButtonTo>
          </EmptyState>
        }
      >
        {(queries, selection) => <QueryTable queries={queries} selection={selection} />}
      </LibraryPage>
    </>
  );
}

interface QueryTableProps {
  queries: readonly ItemOf<"query">[];
  selection: Selection;
}

function QueryTable({ queries, selection }: QueryTableProps) {
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
            <Table.Th className={classes.wide}>Changed</Table.Th>
            <Table.Th>Latest run</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {queries.map((query) => (
            <Table.Tr
              key={query.id}
              draggable
              onDragStart={(event) => dragItems(event.dataTransfer, selection.draggedWith(query))}
            >
              <Table.Td>
                <div className={classes.query}>
                  <SelectItem item={query} selection={selection} />
                  <div className={classes.words}>
                    <AnchorTo
                      to="/queries/$queryId"
                      params={{ queryId: query.id }}
                      underline="hover"
                      className={classes.title ?? ""}
                    >
                      {query.title}
                    </AnchorTo>
                    {query.description !== null && (
                      <Text size="sm" c="dimmed" lineClamp={1}>
                        {query.description}
                      </Text>
                    )}
                    <Text size="xs" c="dimmed" className={classes.sql}>
                      {query.isNamed ? query.sql.replace(/\s+/g, " ").slice(0, 160) : "Not named yet"}
                    </Text>
                  </div>
                  <FavouriteButton item={query} />
                  <ItemMenu item={query} />
                </div>
              </Table.Td>
              <Table.Td className={classes.wide}>{creatorName(query.createdBy)}</Table.Td>
              <Table.Td className={classes.wide}>
                <DatabaseName id={query.analyticalDatabaseConfigId} databases={databases} />
              </Table.Td>
              <Table.Td className={classes.wide}>
                <Timestamp at={query.updatedAt} format="relative" />
              </Table.Td>
              <Table.Td>
                <LatestRun query={query} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function LatestRun({ query: { latestRun, lastRunAt } }: { query: ItemOf<"query"> }) {
  if (!latestRun || lastRunAt === null) {
    return (
      <Text size="sm" c="dimmed">
        Never run
      </Text>
    );
  }
  return (
    <Group gap={6}>
      <RunBadge status={latestRun.status} failureCode={latestRun.failureCode ?? undefined} />
      <Text size="sm" c="dimmed" visibleFrom="sm">
        <Timestamp at={lastRunAt} format="relative" />
      </Text>
    </Group>
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
