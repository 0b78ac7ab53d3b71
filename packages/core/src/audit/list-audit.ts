import {
  AuditAction,
  AuditEntry,
  type Caller,
  type ListAudit,
  lowestIdAt,
  type Page,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { readLivePage } from "../paging/live-page.ts";

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
