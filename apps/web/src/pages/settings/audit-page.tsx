import { NativeSelect, SimpleGrid, Skeleton } from "@mantine/core";
import type { Outputs } from "@querybell/client";
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

type Entry = Outputs["audit"]["list"]["items"][number];

/** What each action is called on the page. */
const actionLabels: Record<Entry["action"], string> = {
  "organization.created": "Organization created",
  "settings.changed": "Setting changed",
  "member.joined": "Member joined",
  "member.role_changed": "Role changed",
  "member.removed": "Member removed",
  "member.password_reset_link_created": "Password link created",
  "invitation.created": "Invitation created",
  "invitation.revoked": "Invitation revoked",
  "api_key.created": "API key created",
  "api_key.revoked": "API key revoked",
  "model.changed": "Model changed, with consent",
  "model.removed": "Model removed",
  "model_usage.corrected": "Used tokens corrected",
  "database.created": "Database added",
  "database.changed": "Database changed",
  "database.deleted": "Database deleted",
  "database.described": "Table or column described",
  "sample_shop.created": "Sample shop added",
  "sample_shop.deleted": "Sample shop removed",
  "uploaded_table.created": "Table made of a file",
  "uploaded_table.replaced": "Table replaced by a file",
  "uploaded_table.appended": "File added to a table",
  "uploaded_table.updated": "Rows of a table updated by a file",
  "uploaded_table.dropped": "Table dropped",
  "webhook_endpoint.created": "Endpoint created",
  "webhook_endpoint.changed": "Endpoint changed",
  "webhook_endpoint.disabled": "Endpoint disabled",
  "webhook_endpoint.enabled": "Endpoint enabled",
  "webhook_endpoint.deleted": "Endpoint deleted",
  "webhook_secret.rotated": "Signing secret rotated",
  "webhook_secret.switched": "Signing secret switched",
  "webhook_recovery.started": "Recovery started",
  "webhook_recovery.cancelled": "Recovery cancelled",
};

const actionNames = Object.keys(actionLabels) as Entry["action"][];

/** The actor of an entry, as text. */
const actorText = ({ byOperator, actor }: Entry): string =>
  byOperator ? "The operator" : (actor?.name ?? "Somebody whose account is gone");

const settingLabels: Record<string, string> = {
  name: "Name",
  webhooksEnabled: "Webhooks",
  restCompatibility: "REST compatibility",
  restSunsetAt: "Date on which the REST routes retire",
  resultLifetimeSeconds: "Lifetime of results (seconds)",
  expiredResultDays: "Expired results (days)",
  uploadsBy: "Who uploads files",
  helpSeesRows: "Whether help with SQL sends rows",
};

/** An entry's details on one line: the old and new values of a change, or names with values. */
function detailText(detail: Entry["detail"]): string {
  const { setting, from, to, ...rest } = detail;
  const change = "to" in detail ? [`${shown(from)} → ${shown(to)}`] : [];
  const named = typeof setting === "string" ? [`${settingLabels[setting] ?? setting}:`] : [];
  const others = Object.entries(rest).map(([name, value]) => `${wordsOf(name)}: ${shown(value)}`);
  return [[...named, ...change].join(" "), ...others].filter((text) => text !== "").join(" · ");
}

const wordsOf = (name: string): string =>
  name === "url"
    ? "URL"
    : name
        .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
        .replace(/^./, (letter) => letter.toUpperCase());

function shown(value: unknown): string {
  if (value === null || value === undefined || value === "") return "none";
  if (value === true) return "on";
  if (value === false) return "off";
  if (Array.isArray(value)) return value.map(shown).join(", ") || "none";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
