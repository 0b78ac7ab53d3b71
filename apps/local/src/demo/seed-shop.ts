import { access, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "@querybell/core";
import { insertSampleShop, sampleQueries } from "@querybell/core/sample-shop";
import type { Tx } from "@querybell/db";
import { duckdbFileName } from "@querybell/engines";
import type { DemoOwner } from "./demo-key.ts";

const file = "sample-shop.duckdb";

/** Creates the DuckDB file of the sample shop, once: two years of orders up to today. */
export async function ensureSampleShop(
  { clock }: Pick<Deps, "clock">,
  folder: string,
  slug: string,
): Promise<void> {
  const path = join(folder, duckdbFileName(slug, file));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  if (exists) return;
  // Imported only when needed: it loads DuckDB into this process.
  const { createSampleShop } = await import("@querybell/engines/sample-shop");
  await createSampleShop(path, clock.now().toISOString().slice(0, 10));
}

/** Creates the database of the shop and its queries, once. If a user deletes them, they are not created again. */
export async function seedShop(deps: { tx: Tx } & Deps, owner: DemoOwner): Promise<void> {
  const { organizationId } = owner;
  const where = { organizationId, holdsUploads: false };
  if ((await deps.tx.analyticalDatabaseConfig.count({ where })) > 0) return;
  await insertSampleShop(deps, owner, { file, actor: { organizationId, userId: null } });
}

/** The newest demo query that was not changed or deleted. It runs with the defaults of its reference. */
export async function findDemoQuery(
  { db }: Pick<Deps, "db">,
  organizationId: string,
): Promise<string | undefined> {
  const unchanged = await db.prisma.query.findFirst({
    where: {
      organizationId,
      deletedAt: null,
      database: { deletedAt: null },
      OR: sampleQueries.map(({ sql, title }) => ({ sql, references: { some: { title, deletedAt: null } } })),
    },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
  });
  return unchanged?.id;
}
