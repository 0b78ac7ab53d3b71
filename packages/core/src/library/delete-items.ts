import type { Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type Deletion,
  type DeletionId,
  type Dependents,
  type Items,
  newId,
  type UndoableDeletion,
  undoSeconds,
} from "@querybell/domain";
import { recordAuditOfEach } from "../audit.ts";
import { deleteAutomationIn } from "../automations/change-automation.ts";
import { lockEventStream } from "../automations/runs/end-automation-run.ts";
import { nextRunAt } from "../automations/schedules.ts";
import type { Deps } from "../deps.ts";
import { requestCancelOfUnfinished } from "../runs/cancel-run.ts";
import { itemTables } from "./item-kinds.ts";
import { lockItems, toAuditRecords, toItemIds } from "./lock-items.ts";

/**
 * Deletes items as deleteQuery, deleteReference and deleteAutomation do, all or none of them, in one deletion that the
 * caller can undo for a minute.
 */
export async function deleteItems(deps: Deps, caller: Caller, { items }: Items): Promise<Deletion> {
  return deps.db.transaction(async (tx) => {
    await lockEventStream(tx, caller);
    const { query, reference, automation, dashboard } = await lockItems(tx, caller, items);
    const deletion = await insertDeletion({ ...deps, tx }, caller);
    const data = { deletedAt: deps.clock.now(), deletionId: deletion.id };
    for (const id of query) await requestCancelOfUnfinished({ ...deps, tx }, id);
    // The queries are locked: nobody creates a reference of them meanwhile.
    await tx.$queryRaw`
      SELECT id FROM public.query_references WHERE query_id = ANY(${query}::uuid[]) AND deleted_at IS NULL
      ORDER BY id FOR NO KEY UPDATE`;
    // The table itself, with references that the caller does not see. Its trigger refuses what they may not change.
    const references = await tx.$queryRaw<{ id: string }[]>`
      UPDATE public.query_references SET deleted_at = ${data.deletedAt}, deletion_id = ${deletion.id}::uuid
      WHERE (id = ANY(${reference}::uuid[]) OR query_id = ANY(${query}::uuid[])) AND deleted_at IS NULL
      RETURNING id`;
    await tx.query.updateMany({ where: { id: { in: query } }, data });
    for (const id of automation) await deleteAutomationIn({ ...deps, tx }, caller, id);
    await tx.automation.updateMany({ where: { id: { in: automation } }, data: { deletionId: deletion.id } });
    await tx.dashboard.updateMany({ where: { id: { in: dashboard } }, data });
    // deleteAutomationIn records the automations.
    const deleted = { query, reference: references.map(({ id }) => id), dashboard };
    const records = toAuditRecords(deleted, "deleted", { deletionId: deletion.id });
    await recordAuditOfEach({ ...deps, tx }, caller, records);
    return deletion;
  });
}

async function insertDeletion(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  { organizationId, userId }: Caller,
): Promise<Deletion> {
  const [row] = await tx.$queryRaw<{ id: string; undoUntil: Date }[]>`
    INSERT INTO deletions (id, organization_id, deleted_by, deleted_at)
    VALUES (${newId(clock)}::uuid, ${organizationId}::uuid, ${userId}::uuid, querybell_now())
    RETURNING id, deleted_at + make_interval(secs => ${undoSeconds}::int) AS "undoUntil"`;
  if (!row) throw new Error("A deletion was not inserted.");
  return { id: row.id, undoUntil: row.undoUntil.toISOString() };
}

/** The caller's last deletion that can still be undone, so that a page that was loaded again can offer it. */
export async function findUndoableDeletion(
  { db }: Pick<Deps, "db">,
  { organizationId, userId }: Pick<Caller, "organizationId" | "userId">,
): Promise<UndoableDeletion | null> {
  const { rows } = await db.pool.query<Omit<UndoableDeletion, "undoUntil"> & { undoUntil: Date }>({
    name: "find_undoable_deletion",
    text: `
      SELECT last.id, last.undo_until AS "undoUntil",
        extract(epoch FROM last.undo_until - querybell_now())::float8 AS "secondsLeft", (
          SELECT json_agg(named) FROM (
            SELECT 'query' AS kind, item.id, ${itemTables.query.title} AS title
            FROM queries item WHERE item.deletion_id = last.id
            UNION ALL
            SELECT 'reference', item.id, item.title FROM query_references item
            WHERE item.deletion_id = last.id AND NOT EXISTS (
              SELECT FROM queries q WHERE q.id = item.query_id AND q.deletion_id = last.id)
            UNION ALL
            SELECT 'automation', item.id, item.name FROM automations item WHERE item.deletion_id = last.id
            UNION ALL
            SELECT 'dashboard', item.id, item.title FROM dashboards item WHERE item.deletion_id = last.id
          ) AS named) AS items
      FROM (
        SELECT id, deleted_at + make_interval(secs => ${undoSeconds}) AS undo_until FROM deletions
        WHERE organization_id = $1 AND deleted_by = $2 AND undone_at IS NULL
          AND deleted_at > querybell_now() - make_interval(secs => ${undoSeconds})
        ORDER BY deleted_at DESC, id DESC LIMIT 1
      ) AS last`,
    values: [organizationId, userId],
  });
  const [found] = rows;
  return found ? { ...found, undoUntil: found.undoUntil.toISOString() } : null;
}

/**
 * Undoes a deletion: its items are there again, with their ids and short ids. Only the person who deleted them, within a
 * minute by the database's clock, and once. Runs that the deletion cancelled stay cancelled.
 */
export async function undoDelete(deps: Deps, caller: Caller, { id }: DeletionId): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await takeDeletion(tx, caller, id);
    const isRestored = { where: { deletionId: id }, data: { deletedAt: null, deletionId: null } };
    // In the same order as when they are deleted.
    await tx.$queryRaw`
      SELECT q.id FROM queries q WHERE q.id IN (
        SELECT id FROM queries WHERE deletion_id = ${id}::uuid
        UNION SELECT query_id FROM query_references WHERE deletion_id = ${id}::uuid)
      ORDER BY q.id FOR NO KEY UPDATE`;
    const select = { id: true };
    const queries = await tx.query.updateManyAndReturn({ ...isRestored, select });
    await refuseWithoutQuery(tx, id);
    const references = await tx.queryReference.updateManyAndReturn({ ...isRestored, select });
    const automations = await tx.automation.findMany({
      where: isRestored.where,
      select: { id: true, enabled: true, schedule: true },
      orderBy: { id: "asc" },
    });
    for (const { id: automationId, ...scheduled } of automations) {
      const data = { ...isRestored.data, nextRunAt: nextRunAt(scheduled, deps.clock.now()) };
      await tx.automation.update({ where: { id: automationId }, data });
    }
    const dashboards = await tx.dashboard.updateManyAndReturn({ ...isRestored, select });
    const toIds = (rows: { id: string }[]) => rows.map((row) => row.id);
    const restored = {
      query: toIds(queries),
      reference: toIds(references),
      automation: toIds(automations),
      dashboard: toIds(dashboards),
    };
    const records = toAuditRecords(restored, "restored", { deletionId: id });
    await recordAuditOfEach({ ...deps, tx }, caller, records);
  });
}

/** Marks the deletion as undone, or says why it cannot be. */
async function takeDeletion(tx: Tx, { organizationId, userId }: Caller, id: string): Promise<void> {
  const taken = await tx.$executeRaw`
    UPDATE deletions SET undone_at = querybell_now()
    WHERE id = ${id}::uuid AND organization_id = ${organizationId}::uuid AND deleted_by = ${userId}::uuid
      AND undone_at IS NULL AND deleted_at > querybell_now() - make_interval(secs => ${undoSeconds}::int)`;
  if (taken === 1) return;
  const found = await tx.deletion.findFirst({ where: { id, organizationId, deletedBy: userId } });
  if (!found) throw new AppError("not_found", "You have made no such deletion in this organization.");
  throw new AppError(
    "conflict",
    found.undoneAt
      ? "This deletion was undone already."
      : "A deletion can be undone for a minute, and that is over.",
  );
}

/** A reference cannot come back without its query, which may have been deleted after it. */
async function refuseWithoutQuery(tx: Tx, deletionId: string): Promise<void> {
  const orphan = await tx.queryReference.findFirst({
    where: { deletionId, query: { deletedAt: { not: null } } },
    select: { title: true },
  });
  if (!orphan) return;
  throw new AppError(
    "conflict",
    `The query of “${orphan.title}” was deleted since. Undo that deletion first.`,
  );
}

const maxNamed = 10;

/** Finds what is affected when these items are deleted, in one statement. */
export async function findDependents(
  { db }: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
  { items }: Items,
): Promise<Dependents> {
  const { query, reference, automation, dashboard } = toItemIds(items);
  const { rows } = await db.pool.query<Dependents>({
    name: "find_dependents",
    text: `
      WITH deleted AS MATERIALIZED (
        SELECT r.id, r.short_id, r.title FROM query_references r
        WHERE r.organization_id = $1 AND r.deleted_at IS NULL AND r.id = ANY($2::uuid[])
        UNION
        SELECT r.id, r.short_id, r.title FROM query_references r
        WHERE r.organization_id = $1 AND r.deleted_at IS NULL AND r.query_id = ANY($3::uuid[])
      ), affected AS MATERIALIZED (
        SELECT a.id, a.name, a.enabled FROM automations a
        WHERE a.organization_id = $1 AND a.deleted_at IS NULL AND a.id <> ALL($4::uuid[]) AND a.id IN (
          SELECT u.automation_id FROM automation_references u JOIN deleted d ON d.id = u.reference_id
          UNION ALL SELECT w.id FROM automations w WHERE w.dashboard_id = ANY($5::uuid[]))
      ), showing AS MATERIALIZED (
        SELECT b.id, b.title FROM dashboards b
        WHERE b.organization_id = $1 AND b.deleted_at IS NULL AND b.id <> ALL($5::uuid[]) AND b.id IN (
          SELECT u.dashboard_id FROM dashboard_references u JOIN deleted d ON d.id = u.reference_id)
      ), choosing AS MATERIALIZED (
        SELECT q.id, q.name FROM public.query_parameters p JOIN queries q ON q.id = p.query_id
        WHERE jsonb_path_query_array(p.choices, '$.*.queryId') ?| $3::uuid[]::text[]
          AND q.organization_id = $1 AND q.deleted_at IS NULL AND q.id <> ALL($3::uuid[])
      )
      SELECT json_build_object('total', (SELECT count(*) FROM deleted), 'first', (
          SELECT coalesce(json_agg(named), '[]') FROM (
            SELECT short_id AS "shortId", title FROM deleted ORDER BY lower(title), id LIMIT ${maxNamed}
          ) AS named)) AS references,
        json_build_object('total', (SELECT count(*) FROM affected), 'first', (
          SELECT coalesce(json_agg(named), '[]') FROM (
            SELECT id, name, enabled FROM affected ORDER BY lower(name), id LIMIT ${maxNamed}
          ) AS named)) AS automations,
        json_build_object('total', (SELECT count(*) FROM showing), 'first', (
          SELECT coalesce(json_agg(named), '[]') FROM (
            SELECT id, title FROM showing ORDER BY lower(title), id LIMIT ${maxNamed}
          ) AS named)) AS dashboards,
        json_build_object('total', (SELECT count(*) FROM choosing), 'first', (
          SELECT coalesce(json_agg(named), '[]') FROM (
            SELECT id, name FROM choosing ORDER BY lower(name), id LIMIT ${maxNamed}
          ) AS named)) AS queries`,
    values: [organizationId, reference, query, automation, dashboard],
  });
  const [found] = rows;
  if (!found) throw new Error("A query without FROM returned no row.");
  return found;
}
