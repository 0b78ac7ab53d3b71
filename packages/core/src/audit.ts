import type { Prisma, Tx } from "@querybell/db";
import {
  AppError,
  AuditAction,
  AuditEntry,
  type AuditExportFormat,
  type Caller,
  type ExportAudit,
  type ListAudit,
  lowestIdAt,
  newId,
  type Page,
} from "@querybell/domain";
import type { Deps } from "./deps.ts";
import { readLivePage } from "./paging/live-page.ts";

/** Who performs an action: a member of the organization or, with `userId` null, the operator. */
export type Actor = Pick<Caller, "organizationId"> & { userId: string | null; via?: Caller["via"] };

/** The operator as the actor in the organization with this slug. */
export async function getOperatorActor(
  { organization }: Pick<Tx, "organization">,
  slug: string,
): Promise<Actor> {
  const found = await organization.findUnique({ where: { slug } });
  if (!found) throw new AppError("not_found", `There is no organization with the short name ${slug}.`);
  return { organizationId: found.id, userId: null };
}

export interface AuditRecord {
  action: AuditAction;
  targetId: string;
  /** Without names and addresses of people, except for `email`: the database replaces it by an id. */
  detail?: Record<string, string | number | boolean | null | string[]>;
}

/** Writes an audit log entry in the transaction of the action, so that both commit or neither does. */
export const recordAudit = (
  deps: { tx: Tx } & Pick<Deps, "clock">,
  actor: Actor,
  record: AuditRecord,
): Promise<void> => recordAuditOfEach(deps, actor, [record]);

/** The same for an action that changes several things: one entry for each. */
export async function recordAuditOfEach(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  actor: Actor,
  records: AuditRecord[],
): Promise<void> {
  await tx.auditEntry.createMany({ data: records.map((record) => toRow(clock, actor, record)) });
}

const toRow = (
  clock: Deps["clock"],
  { organizationId, userId, via }: Actor,
  { action, targetId, detail = {} }: AuditRecord,
) => ({
  id: newId(clock),
  organizationId,
  at: clock.now(),
  actorUserId: userId,
  keyId: via?.kind === "key" ? via.keyId : null,
  action,
  targetId,
  detail,
});

/** The same for what the operator does to all organizations: an entry in each, about the organization. */
export async function recordAuditEverywhere(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  action: AuditAction,
): Promise<void> {
  const organizations = await tx.organization.findMany({ select: { id: true } });
  const rows = organizations.map(({ id }) =>
    toRow(clock, { organizationId: id, userId: null }, { action, targetId: id }),
  );
  // A statement has at most 32,767 values.
  for (let at = 0; at < rows.length; at += 1_000) {
    await tx.auditEntry.createMany({ data: rows.slice(at, at + 1_000) });
  }
}

/** Newest first. Entries are never edited or deleted, so paging by id misses no entry older than the first page. */
export async function listAudit(
  deps: Deps,
  { organizationId }: Caller,
  { limit, cursor, ...filter }: ListAudit,
): Promise<Page<AuditEntry>> {
  const { items, ...rest } = await readLivePage(
    deps,
    {
      list: "audit",
      organizationId,
      filter: JSON.stringify(filter, Object.keys(filter).sort()),
      limit,
      cursor,
    },
    async ({ after, take }) => {
      const rows = await readEntries(deps, { organizationId, filter, before: after?.id, take });
      return rows.map((row) => ({ ...row, createdAt: row.at }));
    },
  );
  return { items: await toEntries(deps, items), ...rest };
}

const exportBatch = 500;

/** Every entry that matches, newest first, in batches. The export itself is recorded before the first one. */
export async function* exportAudit(
  deps: Pick<Deps, "db" | "clock">,
  actor: Actor,
  { format, ...filter }: ExportAudit & { format: AuditExportFormat },
): AsyncGenerator<AuditEntry[]> {
  const { organizationId } = actor;
  const given = Object.entries(filter).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const detail = { format, ...Object.fromEntries(given) };
  await deps.db.transaction((tx) =>
    recordAudit({ ...deps, tx }, actor, { action: "audit_log.exported", targetId: organizationId, detail }),
  );
  yield* readAuditEntries(deps, { organizationId, filter });
}

/** The same without an entry, for an action that records itself. */
export async function* readAuditEntries(
  deps: Pick<Deps, "db">,
  { organizationId, filter = {} }: { organizationId: string; filter?: ExportAudit },
): AsyncGenerator<AuditEntry[]> {
  let before: string | undefined;
  for (;;) {
    const rows = await readEntries(deps, { organizationId, filter, before, take: exportBatch });
    if (rows.length > 0) yield await toEntries(deps, rows);
    if (rows.length < exportBatch) return;
    before = rows.at(-1)?.id;
  }
}

interface Reading {
  organizationId: string;
  filter: ExportAudit;
  /** Only entries with a smaller id. */
  before: string | undefined;
  take: number;
}

const readEntries = (
  { db }: Pick<Deps, "db">,
  { organizationId, filter, before, take }: Reading,
): Promise<Prisma.AuditEntryModel[]> =>
  db.prisma.auditEntry.findMany({
    where: { organizationId, ...toWhere(filter, before) },
    orderBy: { id: "desc" },
    take,
  });

// Ids begin with a timestamp, so a time range is also an id range. An id is created shortly before `at` is read.
const idMarginMs = 60_000;

function toWhere({ actor, action, targetId, from, until }: ExportAudit, before: string | undefined) {
  return {
    id: {
      ...(before && { lt: before }),
      ...(from && { gte: lowestIdAt(new Date(new Date(from).getTime() - idMarginMs)) }),
    },
    at: { ...(from && { gte: from }), ...(until && { lt: until }) },
    ...(actor && { actorUserId: actor === "operator" ? null : actor }),
    ...(action && { action }),
    ...(targetId && { targetId }),
  };
}

/** Adds the names and addresses, as far as they are not erased. */
async function toEntries({ db }: Pick<Deps, "db">, rows: Prisma.AuditEntryModel[]): Promise<AuditEntry[]> {
  const details = rows.map(({ detail }) => AuditEntry.shape.detail.parse(detail));
  const userIds = rows.flatMap(({ actorUserId }) => actorUserId ?? []);
  const personIds = details.flatMap(({ personId }) => (typeof personId === "string" ? personId : []));
  const users = await db.prisma.user.findMany({ where: { id: { in: userIds } } });
  const people =
    personIds.length === 0 ? [] : await db.prisma.auditPerson.findMany({ where: { id: { in: personIds } } });
  const known = users.filter(({ erasedAt }) => erasedAt === null);
  const actors = new Map(known.map(({ id, name, email }) => [id, { userId: id, name, email }]));
  const addresses = new Map(people.map(({ id, email }) => [id, email]));
  return rows.map((row, at): AuditEntry => {
    const { personId, ...detail } = details[at] ?? {};
    return {
      id: row.id,
      at: row.at.toISOString(),
      action: AuditAction.parse(row.action),
      byOperator: row.actorUserId === null,
      actor: actors.get(row.actorUserId ?? "") ?? null,
      keyId: row.keyId,
      targetId: row.targetId,
      detail: typeof personId === "string" ? { email: addresses.get(personId) ?? null, ...detail } : detail,
    };
  });
}
