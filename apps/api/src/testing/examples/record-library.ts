import type { ExampleContext } from "./example-context.ts";

/** Folders, favourites and what is done with several items at once. */
export async function recordLibrary(
  { record }: ExampleContext,
  { queryId, referenceId }: { queryId: string; referenceId: string },
): Promise<void> {
  const query = { kind: "query", id: queryId } as const;
  const reference = { kind: "reference", id: referenceId } as const;
  const sales = await record("folders.create", { name: "Sales" });
  await record("folders.update", { id: sales.id, name: "Fruit sales" });
  await record("library.move", { items: [query, reference], folderId: sales.id });
  await record("library.setFavourite", { ...query, isFavourite: true });
  await record("library.favourites");
  await record("library.get", query);
  const [copy] = await record("library.duplicate", { items: [query] });
  await record("library.archive", { items: [reference], isArchived: true });
  await record("library.list", { kind: "query", folderId: sales.id, sort: "name", order: "ascending" });
  await record("library.dependents", { items: [query] });
  const deletion = await record("library.delete", { items: [{ ...query, id: copy?.id ?? "" }] });
  await record("library.undoableDeletion");
  await record("library.undoDelete", { id: deletion.id });
  await record("folders.list");
  const seen = { grantee: { kind: "everybody" }, level: "see" } as const;
  await record("access.setFolder", { folderId: sales.id, grants: [seen] });
  await record("access.getFolder", { folderId: sales.id });
  await record("folders.delete", { id: sales.id });
  await recordDashboard({ record }, referenceId);
}

/** A dashboard with a text and a chart. */
async function recordDashboard(
  { record }: Pick<ExampleContext, "record">,
  referenceId: string,
): Promise<void> {
  const text = { id: "about", kind: "text", text: "# Fruit", x: 0, y: 0, w: 12, h: 2 } as const;
  const chart = { id: "fruit", kind: "chart", referenceId, shows: "chart", x: 0, y: 2, w: 6, h: 7 } as const;
  const { id, version } = await record("dashboards.create", { title: "Fruit" });
  const filter = { name: "color", displayName: "Colour", type: "string", description: "" } as const;
  const content = {
    tabs: [{ id: "tab-1", title: "Overview", tiles: [text, chart] }],
    filters: { definitions: [filter] },
  };
  await record("dashboards.update", { id, version, content });
  const refresh = await record("dashboards.refresh", { id, filterValues: { color: "green" } });
  await record("dashboards.getRefresh", { id: refresh.id });
  await record("dashboards.cancelRefresh", { id: refresh.id });
  await record("dashboards.get", { id, filterValues: { color: "green" } });
  await record("dashboards.versions", { id });
  await record("dashboards.version", { id, version });
  await recordPublicLink({ record }, { kind: "dashboard", id });
}

async function recordPublicLink(
  { record }: Pick<ExampleContext, "record">,
  item: { kind: "dashboard"; id: string },
): Promise<void> {
  const { id } = await record("publicLinks.create", { item, password: "a long password" });
  const choices = [{ name: "color", values: ["green", "red"] }];
  await record("publicLinks.update", { id, expiresAt: "2027-12-31T12:00:00Z", choices });
  await record("publicLinks.publish", { id });
  await record("publicLinks.rotate", { id });
  await record("publicLinks.listOf", item);
  await record("publicLinks.list");
  await record("publicLinks.revoke", { id });
}
