import type { Tx } from "@querybell/db";
import {
  AuditAction,
  AuditEntry,
  type Caller,
  type ListAudit,
  lowestIdAt,
  newId,
  type Page,
} from "@querybell/domain";
import type { Deps } from "./deps.ts";
import { readLivePage } from "./paging/live-page.ts";

/** Who performs an action: a member of the organization or, with `userId` null, the operator. */
export type Actor = Pick<Caller, "organizationId"> & { userId: string | null };

interface AuditRecord {
  action: AuditAction;
  targetId: string;
  detail?: Record<string, string | number | boolean | null | string[]>;
}

/** Writes an audit log entry in the transaction of the action, so that both commit or neither does. */
export async function recordAudit(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  actor: Actor,
  { action, targetId, detail = {} }: AuditRecord,
): Promise<void> {
  await tx.auditEntry.create({
    data: {
      id: newId(clock),
      organizationId: actor.organizationId,
      at: clock.now(),
      actorUserId: actor.userId,
      action,
      targetId,
      detail,
    },
  });
}

/** Newest first. Entries are never edited or deleted, so paging by id misses no entry older than the first page. */
export async function listAudit(
  deps: Deps,
  { organizationId }: Caller,
  { limit, cursor, ...input }: ListAudit,
): Promise<Page<AuditEntry>> {
  const { prisma } = deps.db;
  const { items: entries, ...rest } = await readLivePage(
    deps,
    {
      list: "audit",
      organizationId,
      filter: JSON.stringify(input, Object.keys(input).sort()),
      limit,
      cursor,
    },
    async ({ after, take }) => {
      const rows = await prisma.auditEntry.findMany({
        where: { organizationId, ...toWhere(input, after?.id) },
        orderBy: { id: "desc" },
        take,
      });
      return rows.map((row) => ({ ...row, createdAt: row.at }));
    },
  );
  const actorIds = entries.flatMap(({ actorUserId }) => actorUserId ?? []);
  const actors = await prisma.user.findMany({ where: { id: { in: actorIds } } });
  const byId = new Map(actors.map(({ id, name, email }) => [id, { userId: id, name, email }]));
  const items = entries.map(
    (entry): AuditEntry => ({
      id: entry.id,
      at: entry.at.toISOString(),
      action: AuditAction.parse(entry.action),
      byOperator: entry.actorUserId === null,
      actor: byId.get(entry.actorUserId ?? "") ?? null,
      targetId: entry.targetId,
      detail: AuditEntry.shape.detail.parse(entry.detail),
    }),
  );
  return { items, ...rest };
}

// Ids begin with a timestamp, so a time range is also an id range. An id is created shortly before `at` is read.
const idMarginMs = 60_000;

function toWhere(
  { actor, action, from, until }: Omit<ListAudit, "limit" | "cursor">,
  before: string | undefined,
) {
  return {
    id: {
      ...(before && { lt: before }),
      ...(from && { gte: lowestIdAt(new Date(new Date(from).getTime() - idMarginMs)) }),
    },
    at: { ...(from && { gte: from }), ...(until && { lt: until }) },
    ...(actor && { actorUserId: actor === "operator" ? null : actor }),
    ...(action && { action }),
  };
}
