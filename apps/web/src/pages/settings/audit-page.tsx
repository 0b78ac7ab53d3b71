import { NativeSelect, SimpleGrid, Skeleton } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
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
import { actionLabels, actionNames, actorText, detailText } from "./audit-text.ts";
import type { AuditSearch } from "./routes.tsx";

const route = getRouteApi("/app/settings/audit");

export function AuditPage() {
  const { actor, action, from, until } = route.useSearch();
  const filter = { limit: 50, actor, action: actionNames.find((name) => name === action), from, until };
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
        description="Changes by admins and the operator. Entries cannot be edited. The address of this page contains its filters."
      />
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
              </Item>
            ))}
          </ItemList>
          <LoadMore {...pages} shown={pluralize(entries.length, "entry", "entries")} />
        </>
      )}
    </>
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
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} mb="md" component="search">
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
        data={[
          { value: "", label: "Everything" },
          ...actionNames.map((value) => ({ value, label: actionLabels[value] })),
        ]}
      />
      <TimeRangeFields value={search} onChange={change} />
    </SimpleGrid>
  );
}
