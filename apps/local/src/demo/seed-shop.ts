import { access, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "@querybell/core";
import { duckdbFileName, insertDatabase } from "@querybell/core/databases";
import { insertQuery } from "@querybell/core/queries";
import { insertReference } from "@querybell/core/references";
import type { Tx } from "@querybell/db";
import type { DemoOwner } from "./demo-owner.ts";
import { demoQueries } from "./demo-queries.ts";

const file = "sample-shop.duckdb";

/** The sample shop's file, made once: two years of orders up to the day on which it is made. */
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
  // Loaded here alone: it brings the engine itself into the process.
  const { createSampleShop } = await import("@querybell/engines/sample-shop");
  await createSampleShop(path, clock.now().toISOString().slice(0, 10));
}

/** The shop as a database with a few queries on it, once: what somebody deletes stays deleted. */
export async function seedShop(deps: { tx: Tx } & Deps, owner: DemoOwner): Promise<void> {
  const { tx } = deps;
  const { organizationId } = owner;
  if ((await tx.analyticalDatabaseConfig.count({ where: { organizationId } })) > 0) return;
  const database = await insertDatabase(
    deps,
    { organizationId, userId: null },
    {
      name: "Sample shop",
      connection: { engine: "duckdb", settings: { file } },
      limits: {},
    },
  );
  for (const { sql, ...content } of demoQueries) {
    const query = await insertQuery(deps, owner, {
      sql,
      name: content.title,
      analyticalDatabaseConfigId: database.id,
    });
    await insertReference(deps, owner, { query, ...content });
  }
}

/** One of those queries to try, the newest that nobody has changed or deleted: it needs its reference's defaults. */
export async function findDemoQuery(
  { db }: Pick<Deps, "db">,
  organizationId: string,
): Promise<string | undefined> {
  const unchanged = await db.prisma.query.findFirst({
    where: {
      organizationId,
      deletedAt: null,
      database: { deletedAt: null },
      OR: demoQueries.map(({ sql, title }) => ({ sql, references: { some: { title, deletedAt: null } } })),
    },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
  });
  return unchanged?.id;
}
