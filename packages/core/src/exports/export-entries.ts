import { Buffer } from "node:buffer";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { Prisma } from "@querybell/db";
import { AppError, exportDays } from "@querybell/domain";
import { readAuditEntries } from "../audit.ts";
import { toAutomation, withContent } from "../automations/get-automation.ts";
import type { Deps } from "../deps.ts";
import { readResult, toParquet, unzipResult } from "../results/index.ts";
import { getUploadsDatabase, storePath } from "../uploads/stored-files.ts";
import type { TarEntry } from "./tar.ts";
import { writeTemporaryFile } from "./temporary-file.ts";

export interface Exporting {
  organizationId: string;
  /** For temporary files. */
  folder: string;
  /** Called when the items are counted, and after each of them. */
  onProgress: (progress: { itemsDone: number; itemsTotal: number }) => Promise<void>;
}

const batchSize = 50;

/** Everything of an organization, as files of an archive. What changes meanwhile is in it as it was or as it is. */
export async function* toExportEntries(deps: Deps, exporting: Exporting): AsyncGenerator<TarEntry> {
  const { prisma } = deps.db;
  const where = { organizationId: exporting.organizationId };
  const listed = { where: { ...where, deletedAt: null }, select: { id: true } };
  const ids = {
    queries: await prisma.query.findMany(listed),
    charts: await prisma.queryReference.findMany(listed),
    automations: await prisma.automation.findMany(listed),
  };
  let itemsDone = 0;
  const itemsTotal = ids.queries.length + ids.charts.length + ids.automations.length;
  const count = () => exporting.onProgress({ itemsDone: ++itemsDone, itemsTotal });
  await exporting.onProgress({ itemsDone, itemsTotal });

  yield* organizationEntries(deps, exporting);
  for (const batch of inBatches(ids.queries)) {
    for (const row of await readQueries(deps, batch)) {
      yield* queryEntries(deps, exporting, row);
      await count();
    }
  }
  for (const batch of inBatches(ids.charts)) {
    for (const row of await prisma.queryReference.findMany({ where: { id: { in: batch } } })) {
      yield chartEntry(row);
      await count();
    }
  }
  for (const batch of inBatches(ids.automations)) {
    const rows = await prisma.automation.findMany({ where: { id: { in: batch } }, include: withContent });
    for (const row of rows) {
      const content = { ...toAutomation(row), folderId: row.folderId };
      yield toJsonEntry(`automations/${toFileName(row.name, row.id)}.json`, content, row.updatedAt);
      await count();
    }
  }
  yield await linesEntry(deps, exporting, "automation-runs.jsonl", readRuns(deps, ids.automations));
  yield await linesEntry(deps, exporting, "audit-log.jsonl", readAuditEntries(deps, where));
  yield* uploadEntries(deps, exporting);
}

async function* organizationEntries(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { organizationId }: Exporting,
): AsyncGenerator<TarEntry> {
  const now = clock.now();
  const { prisma } = db;
  const where = { organizationId };
  const organization = await prisma.organization.findUniqueOrThrow({ where: { id: organizationId } });
  const text = readme(organization.name, now);
  yield toEntry("README.md", text, now);
  yield toJsonEntry("organization.json", organization, now);
  const members = await prisma.member.findMany({
    where,
    include: { user: true },
    orderBy: { createdAt: "asc" },
  });
  const people = members.map(({ userId, role, createdAt, user: { name, email } }) => ({
    ...{ userId, name, email, role, joinedAt: createdAt },
  }));
  yield toJsonEntry("members.json", people, now);
  const folders = await prisma.folder.findMany({
    where,
    select: { id: true, parentId: true, name: true, createdBy: true, createdAt: true, updatedAt: true },
  });
  yield toJsonEntry("folders.json", folders, now);
  const groups = await prisma.group.findMany({
    where,
    select: { id: true, name: true, createdAt: true, members: { select: { userId: true } } },
  });
  yield toJsonEntry("groups.json", groups, now);
  const grants = await prisma.accessGrant.findMany({
    where,
    select: { folderId: true, databaseId: true, groupId: true, userId: true, level: true },
  });
  yield toJsonEntry("access.json", grants, now);
  // Fields are named, so that a new column with a secret is never exported by accident.
  const databases = await prisma.analyticalDatabaseConfig.findMany({
    where: { ...where, deletedAt: null },
    select: {
      ...{ id: true, name: true, engine: true, settings: true, limits: true, holdsUploads: true },
      descriptions: {
        select: { schemaName: true, tableName: true, columnName: true, description: true, updatedAt: true },
      },
    },
  });
  yield toJsonEntry("databases.json", databases, now);
  const keys = await prisma.apiKey.findMany({
    where: { ...where, revokedAt: null },
    select: { id: true, userId: true, name: true, scopes: true, createdAt: true, expiresAt: true },
  });
  yield toJsonEntry("api-keys.json", keys, now);
  const endpoints = await prisma.webhookEndpoint.findMany({
    where: { ...where, kind: "webhook", state: { not: "deleted" } },
    select: {
      ...{ id: true, url: true, description: true, eventTypes: true, standardWebhooks: true, state: true },
      ...{ maxInFlight: true, maxPerSecond: true, createdBy: true, createdAt: true, updatedAt: true },
    },
  });
  yield toJsonEntry("webhook-endpoints.json", endpoints, now);
}

const readQueries = ({ db }: Pick<Deps, "db">, ids: string[]) =>
  db.prisma.query.findMany({
    where: { id: { in: ids } },
    include: {
      parameters: true,
      versions: { orderBy: { version: "asc" } },
      results: {
        // Those with values of a person are seen by that person only.
        where: { run: { systemValues: { equals: Prisma.DbNull } } },
        omit: { gzippedJson: true },
        include: { run: { select: { parameterValues: true } } },
      },
    },
  });

type QueryRow = Awaited<ReturnType<typeof readQueries>>[number];

/** Its statement, everything else that is known about it, and its stored results. */
async function* queryEntries(deps: Deps, exporting: Exporting, row: QueryRow): AsyncGenerator<TarEntry> {
  const name = toFileName(row.name ?? "query", row.id);
  const { updatedAt } = row;
  yield toEntry(`queries/${name}.sql`, row.sql, updatedAt);
  const results: object[] = [];
  for (const result of row.results) {
    const { runId, rowCount, cutBy, completedAt, run } = result;
    const entry = await resultEntry(deps, exporting, { name, ...result });
    if (!entry) continue;
    yield entry;
    results.push({
      ...{ file: entry.path, runId, rowCount, cutBy, completedAt, parameterValues: run.parameterValues },
    });
  }
  const { definitions = [], choices = {}, ranges = [] } = row.parameters ?? {};
  yield toJsonEntry(
    `queries/${name}.json`,
    {
      id: row.id,
      name: row.name,
      description: row.description,
      databaseId: row.analyticalDatabaseConfigId,
      folderId: row.folderId,
      archivedAt: row.archivedAt,
      createdBy: row.createdBy,
      createdAt: row.createdAt,
      updatedAt,
      version: row.version,
      parameters: { definitions, choices, ranges },
      results,
      earlierVersions: row.versions.map(({ version, sql, createdBy, createdAt }) => ({
        ...{ version, sql, createdBy, createdAt },
      })),
    },
    updatedAt,
  );
}

interface StoredResult {
  name: string;
  runId: string;
  jsonBytes: number;
  completedAt: Date;
}

/** As Parquet or, if it cannot be written so, as its JSON. Undefined if it was replaced or has expired meanwhile. */
async function resultEntry(
  deps: Deps,
  { organizationId, folder }: Exporting,
  { name, runId, jsonBytes: bytes, completedAt: modifiedAt }: StoredResult,
): Promise<TarEntry | undefined> {
  const path = `results/${name}-${runId.slice(-4)}`;
  const read = async () => unzipResult(await readResult(deps, { organizationId }, { runId }), { bytes });
  try {
    const parquet = await toParquet(read, new AbortController().signal);
    return { path: `${path}.parquet`, modifiedAt, ...(await writeTemporaryFile(folder, parquet)) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "result_expired") return undefined;
    return { path: `${path}.json`, modifiedAt, ...(await writeTemporaryFile(folder, await read())) };
  }
}

const chartEntry = (row: Prisma.QueryReferenceModel): TarEntry =>
  toJsonEntry(
    `charts/${toFileName(row.title, row.shortId)}.json`,
    {
      id: row.id,
      shortId: row.shortId,
      title: row.title,
      description: row.description,
      queryId: row.queryId,
      folderId: row.folderId,
      archivedAt: row.archivedAt,
      visualization: row.visualization,
      parameters: row.parameters,
      createdBy: row.createdBy,
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
    },
    row.updatedAt,
  );

async function* readRuns({ db }: Pick<Deps, "db">, automations: { id: string }[]): AsyncGenerator<object[]> {
  for (const { id: automationId } of automations) {
    let after: string | undefined;
    do {
      const runs = await db.prisma.automationRun.findMany({
        where: { automationId, isTrial: false },
        orderBy: [{ createdAt: "desc" }, { id: "desc" }],
        take: batchSize,
        ...(after && { cursor: { id: after }, skip: 1 }),
        select: {
          ...{
            id: true,
            automationId: true,
            shortId: true,
            status: true,
            triggerId: true,
            scheduledFor: true,
          },
          ...{ createdAt: true, startedAt: true, completedAt: true, summary: true },
          ...{ failureCode: true, failureReason: true },
        },
      });
      yield runs;
      after = runs.length === batchSize ? runs.at(-1)?.id : undefined;
    } while (after);
  }
}

async function linesEntry(
  { clock }: Pick<Deps, "clock">,
  { folder }: Exporting,
  path: string,
  batches: AsyncIterable<object[]>,
): Promise<TarEntry> {
  async function* lines() {
    for await (const batch of batches) yield batch.map((one) => `${JSON.stringify(one)}\n`).join("");
  }
  return { path, modifiedAt: clock.now(), ...(await writeTemporaryFile(folder, lines())) };
}

/** The tables of uploaded files, in their DuckDB file. It never changes; once open, it can be read even if it is deleted. */
async function* uploadEntries(
  { db, deployment }: Pick<Deps, "db" | "deployment">,
  { organizationId }: Exporting,
): AsyncGenerator<TarEntry> {
  const { uploadFile } = await getUploadsDatabase(db.prisma, organizationId);
  if (!uploadFile) return;
  const path = join(deployment.dataFolder, storePath({ organizationId, fileId: uploadFile.id }));
  await using file = await open(path, "r");
  const { size, mtime: modifiedAt } = await file.stat();
  yield { path: "uploads.duckdb", size, modifiedAt, content: file.createReadStream({ autoClose: false }) };
}

function toEntry(path: string, text: string, modifiedAt: Date): TarEntry {
  const bytes = Buffer.from(text);
  return { path, size: bytes.length, modifiedAt, content: once(bytes) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const toJsonEntry = (path: string, value: unknown, modifiedAt: Date): TarEntry =>
  toEntry(path, `${JSON.stringify(value, null, 2)}\n`, modifiedAt);

const maxNameLength = 30;

/** A name that every file system takes, with the id, so that no two are equal. */
function toFileName(title: string, id: string): string {
  const words = title
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  const name = words.replace(/^-/, "").slice(0, maxNameLength).replace(/-$/, "");
  return name === "" ? id : `${name}-${id}`;
}

function* inBatches(rows: { id: string }[]): Generator<string[]> {
  for (let at = 0; at < rows.length; at += batchSize) {
    yield rows.slice(at, at + batchSize).map(({ id }) => id);
  }
}

const readme = (name: string, now: Date): string => `# Everything of ${name}

Made on ${now.toISOString()}. The file could be downloaded for ${exportDays} days.

| file | what is in it |
|---|---|
| organization.json, members.json, folders.json | the settings, the people with their roles, the tree of folders |
| databases.json | the databases with the descriptions of their tables, without credentials |
| queries/*.sql, queries/*.json | each statement; its name, folder, parameters, results and earlier versions |
| charts/*.json | the charts |
| automations/*.json, automation-runs.jsonl | the automations; what their runs reported |
| results/*.parquet | the stored results. One that Parquet cannot hold is there as JSON |
| uploads.duckdb | the tables made of uploaded files, if there are any. DuckDB opens it |
| api-keys.json, webhook-endpoints.json | names and settings, without keys, secrets and custom headers |
| audit-log.jsonl | the audit log, newest first |

Ids connect the files: the \`folderId\` of a query is an \`id\` of folders.json, \`createdBy\` is a \`userId\` of members.json.
`;
