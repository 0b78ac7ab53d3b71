import { Prisma, type Tx } from "@querybell/db";
import {
  AppError,
  type AutoRefresh,
  type Caller,
  type CreateDashboard,
  type Dashboard,
  newId,
  nextTime,
  type UpdateDashboard,
} from "@querybell/domain";
import { isSameJson } from "@querybell/domain/same-json";
import { type Actor, recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { lockFolder } from "../folders/folder-rows.ts";
import { requireFilters } from "./dashboard-filters.ts";
import {
  type DashboardRow,
  emptyContent,
  getDashboardRow,
  lockDashboard,
  readContent,
  referencesOf,
  toAutoRefresh,
  toDashboard,
  withoutLastRun,
} from "./dashboard-rows.ts";

export async function createDashboard(
  deps: Deps,
  caller: Caller,
  { folderId, ...input }: CreateDashboard,
): Promise<Dashboard> {
  if (input.content) {
    await requireReferences(deps.db.prisma, caller, referencesOf(input.content));
    await requireFilters(deps, caller, { before: undefined, after: input.content });
  }
  return deps.db.transaction(async (tx) => {
    if (folderId !== null) await lockFolder(tx, caller, folderId, "KEY SHARE");
    return toDashboard(await insertDashboard({ ...deps, tx }, caller, { ...input, folderId }));
  });
}

type NewDashboard = Omit<CreateDashboard, "content"> & {
  content?: Dashboard["content"] | undefined;
  copyOf?: string;
};

/** In the transaction of the caller, who has locked the folder. */
export async function insertDashboard(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  creator: Actor & { userId: string },
  { title, description, folderId, content = emptyContent, copyOf }: NewDashboard,
): Promise<DashboardRow> {
  const { organizationId, userId } = creator;
  const now = clock.now();
  const row = await tx.dashboard.create({
    data: {
      id: newId(clock),
      organizationId,
      title,
      description,
      content,
      folderId,
      versionBy: userId,
      versionAt: now,
      createdBy: userId,
      createdAt: now,
      updatedAt: now,
    },
    omit: withoutLastRun,
  });
  if (copyOf === undefined) await requireReferences(tx, creator, referencesOf(content));
  await writeReferences(tx, row);
  const detail = { title, ...(copyOf !== undefined && { copyOf }) };
  await recordAudit({ tx, clock }, creator, { action: "dashboard.created", targetId: row.id, detail });
  return row;
}

/**
 * Changes the title, the description, the content or when it is refreshed. A content that is based on another version than the current one is
 * refused. Pages save every change, so the audit log has an entry for each kept version only.
 */
export async function updateDashboard(
  deps: Deps,
  caller: Caller,
  { id, version, ...input }: UpdateDashboard,
): Promise<Dashboard> {
  const { db, clock } = deps;
  if (input.content) {
    // Before the transaction: a pool could run out of connections if each of its transactions waited for another one.
    const { content } = await getDashboardRow(db.prisma, caller, id);
    await requireFilters(deps, caller, { before: readContent(content), after: input.content });
  }
  return db.transaction(async (tx) => {
    const before = await lockDashboard(tx, caller, id);
    const now = clock.now();
    const title = input.title ?? before.title;
    const description = input.description === undefined ? before.description : input.description;
    const isNewText = title !== before.title || description !== before.description;
    const contentBefore = readContent(before.content);
    const isNewContent = input.content !== undefined && !isSameJson(input.content, contentBefore);
    const refreshing =
      input.autoRefresh && toRefreshColumns(caller, { before, after: input.autoRefresh, now });
    if (!isNewText && !isNewContent && !refreshing) return toDashboard(before);
    if (isNewContent && version !== undefined && version !== before.version) {
      throw dashboardChanged(version, before.version);
    }
    const written = input.content &&
      isNewContent && { content: input.content, versionBy: caller.userId, versionAt: now };
    const row = await tx.dashboard.update({
      where: { id },
      data: { title, description, updatedAt: now, ...written, ...refreshing },
      omit: withoutLastRun,
    });
    if (written) {
      const known = new Set(referencesOf(contentBefore));
      await requireReferences(
        tx,
        caller,
        referencesOf(written.content).filter((one) => !known.has(one)),
      );
      await writeReferences(tx, row);
    }
    const isKept = isNewContent && (await isVersionKept(tx, before));
    if (isNewText || isKept || refreshing) {
      const changed = [
        ...(title === before.title ? [] : ["title"]),
        ...(description === before.description ? [] : ["description"]),
        ...(isNewContent ? ["content"] : []),
        ...(refreshing ? ["autoRefresh"] : []),
      ];
      const detail = { title, changed, version: row.version };
      await recordAudit({ tx, clock }, caller, { action: "dashboard.changed", targetId: id, detail });
    }
    return toDashboard(row);
  });
}

interface ChangedRefresh {
  before: DashboardRow;
  after: AutoRefresh;
  now: Date;
}

/**
 * Who saves a schedule becomes the person with whose rights it is refreshed, also if it is the same schedule. Undefined if
 * nothing changes.
 */
function toRefreshColumns({ userId }: Caller, { before, after, now }: ChangedRefresh) {
  const { schedule, onOpenSeconds } = after;
  const isSame = isSameJson(after, toAutoRefresh(before));
  const refreshOwnerId = schedule === null ? null : userId;
  if (isSame && refreshOwnerId === before.refreshOwnerId) return undefined;
  const isSameSchedule = isSameJson(schedule, toAutoRefresh(before).schedule);
  return {
    refreshSchedule: schedule ?? Prisma.DbNull,
    refreshOnOpenSeconds: onOpenSeconds,
    refreshOwnerId,
    // A time that is due is not lost by a change of something else.
    nextRefreshAt: isSameSchedule ? before.nextRefreshAt : schedule && nextTime(schedule, now),
    // If the next one fails, too, that is told again.
    scheduledRefreshId: null,
    refreshFailure: null,
  };
}

const dashboardChanged = (named: number, current: number) =>
  new AppError(
    "dashboard_changed",
    `The dashboard was changed since version ${named}: it is at version ${current} now. Read it, and make your change to that.`,
  );

async function isVersionKept(tx: Tx, { id, version }: DashboardRow): Promise<boolean> {
  const where = { dashboardId_version: { dashboardId: id, version } };
  return (await tx.dashboardVersion.findUnique({ where, select: { version: true } })) !== null;
}

/** Throws unless the caller sees these references. Those that were there before may stay, whoever sees them. */
async function requireReferences(
  tx: Pick<Tx, "queryReference">,
  { organizationId }: Pick<Caller, "organizationId">,
  ids: string[],
): Promise<void> {
  if (ids.length === 0) return;
  const found = await tx.queryReference.count({
    where: { id: { in: ids }, organizationId, deletedAt: null },
  });
  if (found < ids.length) {
    throw new AppError("not_found", "A chart of this content does not exist. It may have been deleted.");
  }
}

/** The tables themselves: the content may name references that the caller does not see. */
async function writeReferences(tx: Tx, { id, organizationId, content }: DashboardRow): Promise<void> {
  const ids = referencesOf(readContent(content));
  await tx.dashboardReference.deleteMany({ where: { dashboardId: id, referenceId: { notIn: ids } } });
  await tx.$executeRaw`
    INSERT INTO dashboard_references (dashboard_id, reference_id, organization_id)
    SELECT ${id}::uuid, r.id, r.organization_id FROM public.query_references r
    WHERE r.id = ANY(${ids}::uuid[]) AND r.organization_id = ${organizationId}::uuid
    ON CONFLICT DO NOTHING`;
}
