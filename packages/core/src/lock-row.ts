import { Prisma, type Tx } from "@querybell/db";

interface RowToLock {
  table:
    | "analytical_database_configs"
    | "automations"
    | "dashboards"
    | "embedding_keys"
    | "folders"
    | "organizations"
    | "public_links"
    | "queries"
    | "query_drafts"
    | "query_references"
    | "users"
    | "webhook_endpoints"
    | "webhook_recoveries";
  /** The row's id, or the short id of a reference. */
  key: { id: string } | { shortId: string };
  /** Locks nothing if the row belongs to another organization. */
  organizationId?: string;
  /** `NO KEY UPDATE` does not block inserts of rows that refer to this one. */
  strength?: "UPDATE" | "NO KEY UPDATE" | "KEY SHARE";
}

/** Locks one row until the transaction ends. Does nothing if there is no such row. */
export async function lockRow(
  tx: Pick<Tx, "$queryRaw">,
  { table, key, organizationId, strength = "UPDATE" }: RowToLock,
): Promise<void> {
  const isRow = "id" in key ? Prisma.sql`id = ${key.id}::uuid` : Prisma.sql`short_id = ${key.shortId}`;
  const isOwned =
    organizationId === undefined ? Prisma.empty : Prisma.sql`AND organization_id = ${organizationId}::uuid`;
  await tx.$queryRaw`
    SELECT 1 FROM ${Prisma.raw(table)} WHERE ${isRow} ${isOwned} FOR ${Prisma.raw(strength)}`;
}
