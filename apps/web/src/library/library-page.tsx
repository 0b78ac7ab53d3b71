import { Breadcrumbs, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { trpc } from "../api.ts";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { pluralize } from "../format/pluralize.ts";
import { useMe } from "../session/me.ts";
import { AnchorTo } from "../ui/links.tsx";
import { Filters } from "./filters.tsx";
import { FolderPanel } from "./folder-panel.tsx";
import { type Folder, pathOf } from "./folder-tree.ts";
import { type Item, type ItemKind, type ItemOf, kindWords } from "./items.ts";
import classes from "./library.module.css";
import type { LibraryKind } from "./library-kinds.ts";
import {
  findWrongFilters,
  inFolder,
  isFolderThere,
  isNarrowed,
  type ListSearch,
  readListSearch,
  toListInput,
  without,
} from "./list-search.ts";
import { type Selection, SelectionBar, useSelection } from "./selection.tsx";

interface LibraryPageProps<Kind extends ItemKind> {
  kind: LibraryKind & { kind: Kind };
  search: ListSearch;
  /** Writes the state of the list to the address. */
  onChange: (changed: ListSearch) => void;
  searchLabel: string;
  /** Shown while there is nothing at all. */
  empty: ReactNode;
  /** Draws the items. */
  children: (items: ItemOf<Kind>[], selection: Selection) => ReactNode;
  /** How often the list is read again. */
  refetchMs?: (items: readonly ItemOf<Kind>[]) => number;
}

const limit = 50;

/** A list of items with its folders, filters and what can be done with several of them. */
export function LibraryPage<Kind extends ItemKind>(props: LibraryPageProps<Kind>) {
  const { kind, onChange, searchLabel, empty, children, refetchMs } = props;
  // Read again: the router passes on what is in the address and was left out, such as an unknown sort.
  const asked = readListSearch({ ...props.search });
  const wrong = findWrongFilters(asked);
  const search = without(asked, wrong);
  const { isMember } = useMe();
  const folders = useQuery(trpc.folders.list.queryOptions());
  const isThere = isFolderThere(search, folders.data);
  const ofKind = (items: readonly Item[]) =>
    items.filter((item): item is ItemOf<Kind> => item.kind === kind.kind);
  const { data, error, refetch, ...more } = useInfiniteQuery({
    ...trpc.library.list.infiniteQueryOptions(
      { ...toListInput(kind.kind, search), limit },
      { getNextPageParam: ({ nextCursor }) => nextCursor, enabled: isThere !== false },
    ),
    ...(refetchMs && {
      refetchInterval: ({ state }: { state: { data?: { pages: { items: Item[] }[] } | undefined } }) =>
        refetchMs(ofKind(state.data?.pages.flatMap(({ items }) => items) ?? [])),
    }),
  });
  const items = data && ofKind(data.pages.flatMap((page) => page.items));
  const selection = useSelection(items ?? []);
  const { one, many } = kindWords[kind.kind];
  return (
    <div className={classes.page}>
      <FolderPanel kind={kind} search={search} onChange={onChange} />
      <div className={classes.main}>
        {folders.data && <FolderPath kind={kind} search={search} folders={folders.data} />}
        <Filters searchLabel={searchLabel} search={search} onChange={onChange} />
        {wrong.map((name) => (
          <Text key={name} mb="sm" c="dimmed" role="status">
            {wrongFilterTexts[name]}
          </Text>
        ))}
        {isThere === false ? (
          <NoSuchFolder kind={kind} search={search} />
        ) : (
          <>
            {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
            {!items && !error && <LoadingRows />}
            {items?.length === 0 && !isNarrowed(search) && empty}
            {items?.length === 0 && isNarrowed(search) && <Text c="dimmed">{nothingText(search, many)}</Text>}
            {items && items.length > 0 && (
              <>
                {isMember && <SelectionBar selection={selection} shown={items} />}
                {children(items, selection)}
                <Group justify="space-between" mt="sm">
                  <Text size="sm" c="dimmed" role="status">
                    {`${pluralize(items.length, one, many)}${more.hasNextPage ? " so far" : " in all"}.`}
                  </Text>
                  {more.hasNextPage && (
                    <Button
                      variant="default"
                      size="sm"
                      aria-disabled={more.isFetchingNextPage}
                      onClick={() => void more.fetchNextPage()}
                    >
                      {more.isFetchingNextPage ? "Loading…" : "Show more"}
                    </Button>
                  )}
                </Group>
              </>
            )}
          </>
        )}
      </div>
    </div>
  );
}

function nothingText({ search, folder, view, database, createdBy }: ListSearch, many: string): string {
  if (search !== undefined || database !== undefined || createdBy !== undefined) {
    return `No ${many} fit these filters.`;
  }
  if (view === "archived") return `No ${many} are archived.`;
  if (view === "favourites") return `No favourites yet. The star of ${many} makes them yours.`;
  return folder === undefined
    ? `There are no ${many}.`
    : `No ${many} in this folder. Drag some here, or choose “Move to…” in their menus.`;
}

const wrongFilterTexts = {
  database: "The database in the address does not exist. All databases are shown.",
  createdBy: "The person in the address does not exist. What anybody made is shown.",
};

interface ListPlace {
  kind: LibraryKind;
  search: ListSearch;
}

const NoSuchFolder = ({ kind, search }: ListPlace) => (
  <Text role="status">
    This folder does not exist (any more).{" "}
    <AnchorTo to={kind.to} search={inFolder(search, null)}>
      Show all {kindWords[kind.kind].many}
    </AnchorTo>
  </Text>
);

/** The folders that contain the chosen one, as links. */
function FolderPath({ kind, search, folders }: ListPlace & { folders: readonly Folder[] }) {
  const path = pathOf(folders, search.folder);
  if (path.length === 0) return null;
  const children = folders.filter(({ parentId }) => parentId === search.folder);
  return (
    <>
      <nav aria-label="Path of the folder">
        <Breadcrumbs mb="xs">
          <Link
            to={kind.to}
            search={inFolder(search, null)}
            activeOptions={{ exact: true }}
            className={classes.crumb}
          >
            All
          </Link>
          {path.map(({ id, name }) => (
            <Link
              key={id}
              to={kind.to}
              search={inFolder(search, id)}
              activeOptions={{ exact: true }}
              className={classes.crumb}
              {...(id === search.folder && { "aria-current": "page" as const })}
            >
              {name}
            </Link>
          ))}
        </Breadcrumbs>
      </nav>
      {children.length > 0 && (
        <Text size="sm" mb="sm">
          Folders in it:{" "}
          {children.map(({ id, name }, at) => (
            <span key={id}>
              {at > 0 && ", "}
              <AnchorTo to={kind.to} search={inFolder(search, id)}>
                {name}
              </AnchorTo>
            </span>
          ))}
        </Text>
      )}
    </>
  );
}

const LoadingRows = () => (
  <Stack gap="sm" aria-busy="true">
    {Array.from({ length: 6 }, (_, index) => (
      <Skeleton key={String(index)} height={48} />
    ))}
  </Stack>
);
