import { access, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "@querybell/core";
import { insertDatabase } from "@querybell/core/databases";
import { insertQuery } from "@querybell/core/queries";
import { insertReference } from "@querybell/core/references";
import { runQuery } from "@querybell/core/runs";
import type { Tx } from "@querybell/db";
import type { Caller } from "@querybell/domain";
import { duckdbFileName } from "@querybell/engines";
import type { DemoOwner } from "./demo-key.ts";
import { demoQueries } from "./demo-queries.ts";

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
  const { tx } = deps;
  const { organizationId } = owner;
  if ((await tx.analyticalDatabaseConfig.count({ where: { organizationId, holdsUploads: false } })) > 0)
    return;
  const database = await insertDatabase(
    deps,
    { organizationId, userId: null },
    {
      name: "Sample shop",
      connection: { engine: "duckdb", settings: { file } },
      limits: {},
    },
  );
  for (const { sql, ranges = [], ...content } of demoQueries) {
    const query = await insertQuery(deps, owner, {
      sql,
      name: content.title,
      analyticalDatabaseConfigId: database.id,
    });
    await insertReference(deps, owner, { query, ...content });
    if (content.parameters) {
      const definitions = content.parameters;
      await tx.queryParameters.create({
        data: { queryId: query.id, organizationId, version: 1, definitions, ranges },
      });
    }
  }
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
      OR: demoQueries.map(({ sql, title }) => ({ sql, references: { some: { title, deletedAt: null } } })),
    },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
  });
  return unchanged?.id;
}

/**
 * Queues a run of each demo query whose result is absent or expired, so that its permalink shows a chart at once.
 * Queries that a user has changed are skipped.
 */
export async function runDemoQueries(deps: Deps, caller: Caller): Promise<void> {
  const { organizationId } = caller;
  const unchanged = await deps.db.prisma.query.findMany({
    where: {
      organizationId,
      deletedAt: null,
      database: { deletedAt: null },
      sql: { in: demoQueries.map(({ sql }) => sql) },
      results: { none: { expiresAt: { gt: deps.clock.now() } } },
    },
    include: { references: { where: { deletedAt: null }, orderBy: { createdAt: "asc" }, take: 1 } },
  });
  for (const { id, references } of unchanged) {
    const [reference] = references;
    if (reference) await runQuery(deps, caller, { id, shortId: reference.shortId, parameterValues: {} });
  }
}
