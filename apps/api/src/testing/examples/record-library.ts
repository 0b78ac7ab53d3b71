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
}
