import type { Inputs } from "@querybell/client";
import type { ItemKind } from "./items.ts";

export const sorts = {
  updated: { label: "Last change", order: "descending" },
  name: { label: "Name", order: "ascending" },
  lastRun: { label: "Last run", order: "descending" },
  creator: { label: "Creator", order: "ascending" },
} as const;
export type Sort = keyof typeof sorts;

const views = ["favourites", "archived"] as const;

/** The state of a list, as its address has it. */
export interface ListSearch {
  search?: string;
  folder?: string;
  view?: (typeof views)[number];
  database?: string;
  createdBy?: string;
  sort?: Sort;
  /** Only when the order is turned around. */
  reversed?: true;
}

const text = (value: unknown): string | undefined =>
  (typeof value === "string" && value !== "") || typeof value === "number" ? String(value) : undefined;

/** Leaves out what is not set, so that addresses stay short. */
const defined = (search: { [Name in keyof ListSearch]: ListSearch[Name] | undefined }): ListSearch =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));

export const readListSearch = (raw: Record<string, unknown>): ListSearch =>
  defined({
    search: text(raw.search),
    folder: text(raw.folder),
    view: views.find((one) => one === raw.view),
    database: text(raw.database),
    createdBy: text(raw.createdBy),
    sort: (Object.keys(sorts) as Sort[]).find((one) => one === raw.sort && one !== "updated"),
    reversed: String(raw.reversed) === "true" ? true : undefined,
  });

const isId = (value: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);

/** The filters whose value cannot be an id: somebody changed the address. They are left out of the list, and named. */
export const findWrongFilters = ({ database, createdBy }: ListSearch): ("database" | "createdBy")[] =>
  (["database", "createdBy"] as const).filter((name) => {
    const value = { database, createdBy }[name];
    return value !== undefined && !isId(value);
  });

/** Without some of the filters. */
export const without = (search: ListSearch, names: readonly (keyof ListSearch)[]): ListSearch =>
  Object.fromEntries(Object.entries(search).filter(([name]) => !names.some((one) => one === name)));

/** The same list in a folder, or in none: the search, the filters and the order stay. */
export const inFolder = (search: ListSearch, folder: string | null): ListSearch => ({
  ...without(search, ["folder", "view"]),
  ...(folder !== null && { folder }),
});

/** The same list as another view. */
export const inView = (search: ListSearch, view: ListSearch["view"]): ListSearch => ({
  ...without(search, ["folder", "view"]),
  ...(view && { view }),
});

/** Whether the folder of the address is there. Undefined while that is not known. */
export function isFolderThere(
  { folder }: ListSearch,
  folders: readonly { id: string }[] | undefined,
): boolean | undefined {
  if (folder === undefined) return true;
  if (!isId(folder)) return false;
  return folders?.some(({ id }) => id === folder);
}

export const orderOf = ({ sort = "updated", reversed }: ListSearch) => {
  const { order } = sorts[sort];
  if (!reversed) return order;
  return order === "ascending" ? "descending" : "ascending";
};

/** The input of the list. A search looks into the folders below the chosen one too. */
export function toListInput(kind: ItemKind, listSearch: ListSearch): Inputs["library"]["list"] {
  const { folder, view, database, createdBy, sort = "updated" } = listSearch;
  const search = listSearch.search?.trim() ?? "";
  return {
    kind,
    sort,
    order: orderOf(listSearch),
    ...(search !== "" && { search }),
    ...(folder !== undefined && { folderId: folder, withSubfolders: search !== "" }),
    ...(view === "favourites" && { isFavourite: true as const }),
    ...(view === "archived" && { isArchived: true }),
    ...(database !== undefined && { analyticalDatabaseConfigId: database }),
    ...(createdBy !== undefined && { createdBy }),
  };
}

/** Whether the list shows less than everything. */
export const isNarrowed = ({ search, folder, view, database, createdBy }: ListSearch): boolean =>
  [search, folder, view, database, createdBy].some((one) => one !== undefined);
