import { isDeepStrictEqual } from "node:util";
import { Prisma, type Tx } from "@querybell/db";
import {
  type ArchiveItems,
  type Caller,
  cutText,
  type DuplicateItems,
  type ItemAddress,
  type MoveItems,
  newId,
} from "@querybell/domain";
import { recordAudit, recordAuditOfEach } from "../audit.ts";
import { insertDashboard } from "../dashboards/change-dashboard.ts";
import { getDashboardRow, readContent } from "../dashboards/dashboard-rows.ts";
import type { Deps } from "../deps.ts";
import { lockFolder } from "../folders/folder-rows.ts";
import { newShortId } from "../organizations/permalinks.ts";
import { insertQuery } from "../queries/change-query.ts";
import { lockQuery } from "../queries/get-query.ts";
import { copyParameters } from "../queries/parameters.ts";
import { refuseTooManyDefining } from "../references/change-reference.ts";
import { itemNotFound } from "./list-items.ts";
import { lockItems, toAuditRecords } from "./lock-items.ts";

/** Moves items into a folder, all or none of them. Their time of change stays: their content does not change. */
export async function moveItems(deps: Deps, caller: Caller, { items, folderId }: MoveItems): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (folderId !== null) await lockFolder(tx, caller, folderId, "KEY SHARE");
    const ids = await lockItems(tx, caller, items);
    const { query, reference, automation, dashboard } = ids;
    const data = { folderId };
    await tx.query.updateMany({ where: { id: { in: query } }, data });
    await tx.queryReference.updateMany({ where: { id: { in: reference } }, data });
    await tx.automation.updateMany({ where: { id: { in: automation } }, data });
    await tx.dashboard.updateMany({ where: { id: { in: dashboard } }, data });
    await recordAuditOfEach({ ...deps, tx }, caller, toAuditRecords(ids, "moved", { folderId }));
  });
}

/**
 * Archives items, or brings them back. Lists of the web app leave archived items out; permalinks, runs, automations and
 * the REST routes do not change.
 */
export async function archiveItems(
  deps: Deps,
  caller: Caller,
  { items, isArchived }: ArchiveItems,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { query, reference, dashboard } = await lockItems(tx, caller, items);
    const data = { archivedAt: isArchived ? deps.clock.now() : null };
    const where = (ids: string[]) => ({ id: { in: ids }, archivedAt: isArchived ? null : { not: null } });
    await tx.query.updateMany({ where: where(query), data });
    await tx.queryReference.updateMany({ where: where(reference), data });
    await tx.dashboard.updateMany({ where: where(dashboard), data });
    const change = isArchived ? "archived" : "unarchived";
    await recordAuditOfEach({ ...deps, tx }, caller, toAuditRecords({ query, reference, dashboard }, change));
  });
}

/**
 * Duplicates queries, references and dashboards, next to the originals. The references of a query or dashboard are not
 * duplicated with it.
 */
export async function duplicateItems(
  deps: Deps,
  caller: Caller,
  { items }: DuplicateItems,
): Promise<ItemAddress[]> {
  return deps.db.transaction(async (tx) => {
    const made: ItemAddress[] = [];
    for (const { kind, id } of items) {
      made.push(await duplicates[kind]({ ...deps, tx }, caller, id));
    }
    return made;
  });
}

type Changing = { tx: Tx } & Pick<Deps, "clock">;

const suffix = " (copy)";
const maxTitle = 200;

const toCopyTitle = (title: string): string => `${cutText(title, maxTitle - suffix.length)}${suffix}`;

async function duplicateQuery(deps: Changing, caller: Caller, id: string): Promise<ItemAddress> {
  const { sql, analyticalDatabaseConfigId, name, description, folderId } = await lockQuery(
    deps.tx,
    caller,
    id,
  );
  const copy = await insertQuery(deps, caller, {
    sql,
    analyticalDatabaseConfigId,
    name: toCopyTitle(name ?? "Untitled query"),
    description,
  });
  await copyParameters(deps.tx, id, copy);
  await deps.tx.query.update({ where: { id: copy.id }, data: { folderId } });
  return { kind: "query", id: copy.id, shortId: null, title: copy.name ?? "" };
}

async function duplicateReference(deps: Changing, caller: Caller, id: string): Promise<ItemAddress> {
  const { organizationId } = caller;
  const { tx, clock } = deps;
  const row = await tx.queryReference.findFirst({ where: { id, organizationId, deletedAt: null } });
  if (!row) throw itemNotFound();
  const { queryId, description, visualization, parameters, folderId } = row;
  if (queryId !== null) {
    await lockQuery(tx, caller, queryId);
    if (!isDeepStrictEqual(parameters, [])) await refuseTooManyDefining(tx, queryId);
  }
  const now = clock.now();
  const copy = await tx.queryReference.create({
    data: {
      id: newId(clock),
      organizationId,
      shortId: newShortId(),
      queryId,
      title: toCopyTitle(row.title),
      description,
      // As they are, even if they do not fit the query any more: the copy is as good as the original.
      visualization: visualization ?? Prisma.DbNull,
      parameters: parameters ?? [],
      folderId,
      createdBy: caller.userId,
      createdAt: now,
      updatedAt: now,
    },
  });
  const detail = { title: copy.title, shortId: copy.shortId, queryId, copyOf: id };
  await recordAudit(deps, caller, { action: "reference.created", targetId: copy.id, detail });
  return { kind: "reference", id: copy.id, shortId: copy.shortId, title: copy.title };
}

async function duplicateDashboard(deps: Changing, caller: Caller, id: string): Promise<ItemAddress> {
  const { title, description, content, folderId } = await getDashboardRow(deps.tx, caller, id);
  const copy = await insertDashboard(deps, caller, {
    ...{ title: toCopyTitle(title), description, folderId, content: readContent(content), copyOf: id },
  });
  return { kind: "dashboard", id: copy.id, shortId: null, title: copy.title };
}

const duplicates = { query: duplicateQuery, reference: duplicateReference, dashboard: duplicateDashboard };
