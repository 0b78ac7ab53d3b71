import type { Tx } from "@querybell/db";
import { type Caller, CreateAutomation } from "@querybell/domain";
import type { Actor } from "../audit.ts";
import { insertDatabase } from "../databases/index.ts";
import type { Deps } from "../deps.ts";
import { insertQuery } from "../queries/index.ts";
import { insertReference } from "../references/index.ts";
import { runQuery } from "../runs/index.ts";
import { sampleQueries } from "./sample-queries.ts";

type Owner = Pick<Caller, "organizationId" | "userId">;

interface InsertedShop {
  databaseId: string;
  /** In the order of `sampleQueries`. */
  queries: { id: string; title: string; shortId: string }[];
}

/** Inserts the database of the sample shop, and its queries with a reference each. `actor` adds the database. */
export async function insertSampleShop(
  deps: { tx: Tx } & Deps,
  owner: Owner,
  { file, actor = owner }: { file: string; actor?: Actor },
): Promise<InsertedShop> {
  const { id: databaseId } = await insertDatabase(deps, actor, {
    name: "Sample shop",
    connection: { engine: "duckdb", settings: { file } },
    limits: {},
  });
  const queries: InsertedShop["queries"] = [];
  for (const { sql, ranges = [], ...content } of sampleQueries) {
    const { title, parameters: definitions } = content;
    const query = await insertQuery(deps, owner, {
      sql,
      name: title,
      analyticalDatabaseConfigId: databaseId,
    });
    const { shortId } = await insertReference(deps, owner, { query, ...content });
    if (definitions) {
      const { organizationId } = owner;
      await deps.tx.queryParameters.create({
        data: { queryId: query.id, organizationId, version: 1, definitions, ranges },
      });
    }
    queries.push({ id: query.id, title, shortId });
  }
  return { databaseId, queries };
}

/** The titles of the references that the shop's automation reports on. */
export const sampleAutomationTitles = [
  "Orders of the last seven days",
  "Revenue by month",
  "Best sellers by country",
];

interface SampleAutomation {
  /** The short ids of its references. */
  shortIds: string[];
  /** Whom it notifies. */
  subscribers: string[];
  enabled: boolean;
}

/** The automation of the sample shop. */
export const sampleAutomation = ({ shortIds, subscribers, enabled }: SampleAutomation): CreateAutomation =>
  CreateAutomation.parse({
    name: "The shop this morning",
    instruction:
      "Say how many orders came in, what the shop took in over the last twelve months and what sold best, and what has changed since the last time.",
    references: shortIds.map((shortId) => ({ shortId })),
    schedule: { cron: "0 9 * * *", timeZone: "UTC" },
    enabled,
    subscribers: subscribers.map((userId) => ({
      userId,
      inApp: true,
      byMail: false,
      onFailure: true,
      onSummary: true,
    })),
  });

/**
 * Queues a run of each sample query whose result is absent or expired, so that its permalink shows a chart at once.
 * Queries that a user has changed are skipped.
 */
export async function runSampleQueries(deps: Deps, caller: Caller): Promise<void> {
  const { organizationId } = caller;
  const unchanged = await deps.db.prisma.query.findMany({
    where: {
      organizationId,
      deletedAt: null,
      database: { deletedAt: null },
      sql: { in: sampleQueries.map(({ sql }) => sql) },
      results: { none: { expiresAt: { gt: deps.clock.now() } } },
    },
    include: { references: { where: { deletedAt: null }, orderBy: { createdAt: "asc" }, take: 1 } },
  });
  for (const { id, references } of unchanged) {
    const [reference] = references;
    if (reference) await runQuery(deps, caller, { id, shortId: reference.shortId, parameterValues: {} });
  }
}
