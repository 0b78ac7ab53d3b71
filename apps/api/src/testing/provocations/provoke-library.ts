import { createDashboard } from "@querybell/core/dashboards";
import { deleteDatabase } from "@querybell/core/databases";
import { createFolder } from "@querybell/core/folders";
import { deleteItems, setFavourite, undoDelete } from "@querybell/core/library";
import { updateSettings } from "@querybell/core/organizations";
import { createPublicLink } from "@querybell/core/public-links";
import { createQuery } from "@querybell/core/queries";
import { createReference, updateReference } from "@querybell/core/references";
import { runQuery } from "@querybell/core/runs";
import { execute } from "@querybell/core/testing";
import { CreatePublicLink } from "@querybell/domain";
import type { ProvocationContext } from "./provoke.ts";

/** Errors because of the order of folders, favourites and deletions. */
export async function provokeLibrary({ deps, make, owner, provoke }: ProvocationContext): Promise<void> {
  const sales = await createFolder(deps, owner, { name: "Sales", parentId: null });
  const inner = await createFolder(deps, owner, { name: "sales", parentId: sales.id });
  await provoke("folders.create", "conflict", { name: "SALES" });
  await provoke("folders.update", "conflict", { id: sales.id, parentId: inner.id });
  await createFolder(deps, owner, { name: "Europe", parentId: sales.id });
  await createFolder(deps, owner, { name: "Europe", parentId: null });
  await provoke("folders.delete", "conflict", { id: sales.id });

  const database = await make.database(owner);
  const content = { sql: "SELECT {{least}}", analyticalDatabaseConfigId: database.id };
  const query = await createQuery(deps, owner, content);
  const deletion = await deleteItems(deps, owner, {
    items: [{ kind: "query", id: (await createQuery(deps, owner, content)).id }],
  });
  await undoDelete(deps, owner, deletion);
  await provoke("library.undoDelete", "conflict", { id: deletion.id });

  const least = { name: "least", displayName: "Least", type: "integer", description: "" } as const;
  const parameters = [least];
  let reference = await createReference(deps, owner, { queryId: query.id, parameters });
  for (let made = 1; made < 100; made++) {
    reference = await createReference(deps, owner, { queryId: query.id, parameters });
  }
  await provoke("library.duplicate", "conflict", { items: [{ kind: "reference", id: reference.id }] });
  await deleteDatabase(deps, owner, { id: database.id });
  await provoke("library.duplicate", "database_deleted", { items: [{ kind: "query", id: query.id }] });

  for (let made = 0; made < 200; made++) {
    const { id } = await createFolder(deps, owner, { name: `Folder ${made}`, parentId: null });
    await setFavourite(deps, owner, { kind: "folder", id, isFavourite: true });
  }
  const favourite = { kind: "query", id: query.id, isFavourite: true };
  await provoke("library.setFavourite", "conflict", favourite);
  const { id } = await createDashboard(deps, owner, { title: "Sales", description: null, folderId: null });
  await provoke("dashboards.refresh", "conflict", { id });
  await provoke("dashboards.refresh", "invalid_parameter_value", { id, filterValues: { region: "north" } });
  const tabs = [{ id: "tab", title: "Other", tiles: [] }];
  const wrong = { name: "since", displayName: "Since", type: "date", description: "", defaultValue: "soon" };
  const filtered = { tabs, filters: { definitions: [wrong] } };
  await provoke("dashboards.create", "invalid_parameter_value", { title: "Sales", content: filtered });
  await provoke("dashboards.update", "invalid_parameter_value", { id, content: filtered });
  await provoke("dashboards.update", "dashboard_changed", { id, version: 7, content: { tabs } });
  await provokePublicLinks({ deps, make, owner, provoke });
}

async function provokePublicLinks({
  deps,
  make,
  owner,
  provoke,
}: Pick<ProvocationContext, "deps" | "make" | "owner" | "provoke">): Promise<void> {
  await updateSettings(deps, owner, { publicLinks: true });
  const query = await make.query(owner, "SELECT name FROM fruits WHERE weight > {{floor}}");
  const floor = {
    name: "floor",
    displayName: "",
    type: "integer",
    description: "",
    defaultValue: "0",
  } as const;
  const { id, shortId } = await createReference(deps, owner, { queryId: query.id, parameters: [floor] });
  const item = { kind: "reference", id } as const;
  await provoke("publicLinks.create", "conflict", { item });
  const unfit = [{ name: "floor", values: ["high"] }];
  await provoke("publicLinks.create", "invalid_parameter_value", { item, choices: unfit });
  const run = await runQuery(deps, owner, { id: query.id, parameterValues: {} });
  await execute(deps, run.id);
  const link = await createPublicLink(deps, owner, CreatePublicLink.parse({ item }));
  await deps.db.prisma.queryResult.deleteMany({ where: { runId: run.id } });
  await provoke("publicLinks.publish", "conflict", { id: link.id });
  await provoke("publicLinks.update", "conflict", { id: link.id, choices: [] });
  await provoke("publicLinks.update", "invalid_parameter_value", { id: link.id, choices: unfit });
  const choices = [{ name: "floor", values: ["1"] }];
  const chosen = await createPublicLink(deps, owner, CreatePublicLink.parse({ item, choices }));
  const parameters = [{ ...floor, type: "date", defaultValue: "2026-01-31" } as const];
  await updateReference(deps, owner, { shortId, parameters });
  await provoke("publicLinks.publish", "invalid_parameter_value", { id: chosen.id });
}
