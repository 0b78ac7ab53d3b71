import type { Prisma, Tx } from "@querybell/db";
import {
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
  { organizationId, userId, via }: Actor,
  records: AuditRecord[],
): Promise<void> {
  await tx.auditEntry.createMany({
    data: records.map(({ action, targetId, detail = {} }) => ({
      id: newId(clock),
      organizationId,
      at: clock.now(),
      actorUserId: userId,
      keyId: via?.kind === "key" ? via.keyId : null,
      action,
      targetId,
      detail,
    })),
  });
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
  caller: Caller,
  { format, ...filter }: ExportAudit & { format: AuditExportFormat },
): AsyncGenerator<AuditEntry[]> {
  const { organizationId } = caller;
  const given = Object.entries(filter).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const detail = { format, ...Object.fromEntries(given) };
  await deps.db.transaction((tx) =>
    recordAudit({ ...deps, tx }, caller, { action: "audit_log.exported", targetId: organizationId, detail }),
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
