import { Button, Menu, NativeSelect, SimpleGrid, Skeleton, TextInput } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { api, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { pluralize } from "../../format/pluralize.ts";
import { changeTexts } from "../../format/search-text.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { LoadMore } from "../../ui/load-more.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { TimeRangeFields } from "../../ui/time-range-fields.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { actionGroups, actionLabels, actionNames, actorText, detailText } from "./audit-labels.ts";
import type { AuditSearch } from "./routes.tsx";

const route = getRouteApi("/app/settings/audit");

export function AuditPage() {
  const { actor, action, targetId, from, until } = route.useSearch();
  const chosen = { actor, action: actionNames.find((name) => name === action), targetId, from, until };
  const filter = { limit: 50, ...chosen };
  const { data, error, refetch, ...pages } = useInfiniteQuery({
    queryKey: trpc.audit.list.infiniteQueryKey(filter),
    queryFn: ({ pageParam, signal }) => api.audit.list.query({ ...filter, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const entries = data?.pages.flatMap(({ items }) => items);
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Every change of queries, charts, automations, rights and settings, and every download. Entries cannot be edited. The address of this page contains its filters."
      >
        <ExportMenu filter={chosen} />
      </PageHeader>
      <Filters />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!entries && !error && <Skeleton height={300} />}
      {entries?.length === 0 && (
        <EmptyState title="Nothing found" description="No entry matches these filters." />
      )}
      {entries && entries.length > 0 && (
        <>
          <ItemList label="Entries">
            {entries.map((entry) => (
              <Item key={entry.id} title={actionLabels[entry.action]} actions={<Timestamp at={entry.at} />}>
                <span>{actorText(entry)}</span>
                <span>{detailText(entry.detail)}</span>
                {targetId === undefined && (
                  <Link
                    to="/settings/audit"
                    search={(before) => ({ ...before, targetId: entry.targetId })}
                    aria-label={`Same object: ${entry.targetId}`}
                  >
                    Same object
                  </Link>
                )}
              </Item>
            ))}
          </ItemList>
          <LoadMore {...pages} shown={pluralize(entries.length, "entry", "entries")} />
        </>
      )}
    </>
  );
}

/** Links to files with all entries that match, not only those on the page. */
function ExportMenu({ filter }: { filter: { [Name in keyof AuditSearch]: string | undefined } }) {
  const given = Object.entries(filter).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const search = given.length > 0 ? `?${new URLSearchParams(given)}` : "";
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={`/api/audit-log.csv${search}`} download>
          CSV
        </Menu.Item>
        <Menu.Item component="a" href={`/api/audit-log.jsonl${search}`} download>
          JSON lines
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Filters() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/settings/audit" });
  const members = useQuery(trpc.members.list.queryOptions());
  const change = (changed: { [Name in keyof AuditSearch]: string | undefined }) =>
    navigate({
      replace: true,
      search: (before) => changeTexts(before, changed),
    });
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} mb="md" component="search">
      <NativeSelect
        label="Who"
        value={search.actor ?? ""}
        onChange={({ currentTarget }) => change({ actor: currentTarget.value })}
        data={[
          { value: "", label: "Everybody" },
          ...(members.data ?? []).map(({ userId, name }) => ({ value: userId, label: name })),
          { value: "operator", label: "The operator" },
        ]}
      />
      <NativeSelect
        label="What"
        value={search.action ?? ""}
        onChange={({ currentTarget }) => change({ action: currentTarget.value })}
        data={[{ value: "", label: "Everything" }, ...actionGroups]}
      />
      <TextInput
        label="Object"
        placeholder="An id"
        value={search.targetId ?? ""}
        onChange={({ currentTarget }) => change({ targetId: currentTarget.value.trim() })}
        maxLength={200}
      />
      <TimeRangeFields value={search} onChange={change} />
    </SimpleGrid>
  );
}
