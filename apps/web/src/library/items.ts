import type { Inputs, Outputs } from "@querybell/client";
import { queryClient, trpc } from "../api.ts";
import { automationHref, dashboardHref, queryHref, referenceHref } from "../format/addresses.ts";
import { pluralize } from "../format/pluralize.ts";
import { keepFocus } from "../ui/keep-focus.ts";

export type Item = Outputs["library"]["list"]["items"][number];
export type ItemKind = Item["kind"];
export type ItemOf<Kind extends ItemKind> = Extract<Item, { kind: Kind }>;

/** What a sentence about an item needs to know of it. */
export interface TitledItem {
  kind: ItemKind;
  title: string;
}

/** What an action needs to know of an item. */
export interface NamedItem extends TitledItem {
  id: string;
  folderId: string | null;
}

type Named = Inputs["library"]["delete"]["items"][number];

/** As procedures name items. */
export const toNamed = (items: readonly NamedItem[]): Named[] => items.map(({ kind, id }) => ({ kind, id }));

type Document = Inputs["library"]["archive"]["items"][number];

/** The items that can be archived and duplicated. Automations are paused instead. */
export const toDocuments = (items: readonly NamedItem[]): Document[] =>
  items.flatMap(({ kind, id }) => (kind === "automation" ? [] : [{ kind, id }]));

/** The words of the product: it says "chart" where the api says "reference". */
export const kindWords: Record<ItemKind, { one: string; many: string }> = {
  query: { one: "query", many: "queries" },
  reference: { one: "chart", many: "charts" },
  automation: { one: "automation", many: "automations" },
  dashboard: { one: "dashboard", many: "dashboards" },
};

/** "“Sales”", "3 queries", "4 items". */
export function describeItems(items: readonly TitledItem[]): string {
  const [first] = items;
  if (!first) return "";
  if (items.length === 1) return `“${first.title}”`;
  const isMixed = items.some(({ kind }) => kind !== first.kind);
  const { one, many } = isMixed ? { one: "item", many: "items" } : kindWords[first.kind];
  return pluralize(items.length, one, many);
}

export function itemHref(item: { kind: ItemKind; id: string; shortId?: string | null }): string {
  switch (item.kind) {
    case "query":
      return queryHref(item.id);
    case "automation":
      return automationHref(item.id);
    case "dashboard":
      return dashboardHref(item.id);
    case "reference":
      return referenceHref(item.shortId ?? "");
  }
}

/** Reads everything again that shows items or folders. */
export async function refreshLibrary(): Promise<void> {
  // The first read of an item may still go on, with what was true before the change.
  await queryClient.cancelQueries(trpc.library.pathFilter());
  await Promise.all(
    [
      trpc.library.pathFilter(),
      trpc.folders.pathFilter(),
      trpc.queries.pathFilter(),
      trpc.references.pathFilter(),
      trpc.automations.pathFilter(),
      trpc.dashboards.pathFilter(),
      trpc.home.pathFilter(),
    ].map((filter) => queryClient.invalidateQueries(filter)),
  );
  keepFocus();
}
