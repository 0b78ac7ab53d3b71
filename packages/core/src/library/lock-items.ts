import { Prisma, type Tx } from "@querybell/db";
import { AuditAction, type Caller, ItemKind, type Items } from "@querybell/domain";
import type { AuditRecord } from "../audit.ts";
import { itemTables } from "./item-kinds.ts";
import { itemNotFound } from "./list-items.ts";

export type ItemIds = Record<ItemKind, string[]>;

/** The ids of the items by kind, each once. */
export function toItemIds(items: Items["items"]): ItemIds {
  const ids = (wanted: ItemKind) => [
    ...new Set(items.filter(({ kind }) => kind === wanted).map(({ id }) => id)),
  ];
  return {
    query: ids("query"),
    reference: ids("reference"),
    automation: ids("automation"),
    dashboard: ids("dashboard"),
  };
}

/**
 * Locks the items until the transaction ends. Throws if one does not exist or is deleted. Queries come first, then
 * references, automations and dashboards, each in the order of their ids: transactions that lock the same items wait for
 * each other and never deadlock.
 */
export async function lockItems(
  tx: Tx,
  { organizationId }: Pick<Caller, "organizationId">,
  items: Items["items"],
): Promise<ItemIds> {
  const ids = toItemIds(items);
  for (const kind of ItemKind.options) {
    if (ids[kind].length === 0) continue;
    const { table } = itemTables[kind];
    const rows = await tx.$queryRaw<unknown[]>`
      SELECT id FROM ${Prisma.raw(table)}
      WHERE id = ANY(${ids[kind]}::uuid[]) AND organization_id = ${organizationId}::uuid AND deleted_at IS NULL
      ORDER BY id FOR NO KEY UPDATE`;
    if (rows.length < ids[kind].length) throw itemNotFound();
  }
  return ids;
}

type ItemChange = "moved" | "archived" | "unarchived" | "deleted" | "restored";

/** One entry of the audit log for each item. */
export const toAuditRecords = (
  ids: Partial<ItemIds>,
  change: ItemChange,
  detail: NonNullable<AuditRecord["detail"]> = {},
): AuditRecord[] =>
  ItemKind.options.flatMap((kind) =>
    (ids[kind] ?? []).map((targetId) => ({
      action: AuditAction.parse(`${kind}.${change}`),
      targetId,
      detail,
    })),
  );

/** Locks everything in a folder, deleted items and what the caller does not see too, in the same order. */
export async function lockItemsOfFolder(tx: Tx, folderId: string): Promise<void> {
  for (const kind of ItemKind.options) {
    await tx.$queryRaw`
      SELECT id FROM public.${Prisma.raw(itemTables[kind].table)} WHERE folder_id = ${folderId}::uuid
      ORDER BY id FOR NO KEY UPDATE`;
  }
}
