import { Prisma } from "@querybell/db";
import { AppError } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { readResult, toParquet, unzipResult } from "../results/index.ts";
import type { TarEntry } from "./tar.ts";
import { writeTemporaryFile } from "./temporary-file.ts";
import { toEntry, toFileName, toJsonEntry } from "./text-entries.ts";

interface Place {
  organizationId: string;
  /** For temporary files. */
  folder: string;
}

export const readQueries = ({ db }: Pick<Deps, "db">, ids: string[]) =>
  db.prisma.query.findMany({
    where: { id: { in: ids } },
    include: {
      parameters: true,
      database: { select: { rowRightsVersion: true } },
      versions: { orderBy: { version: "asc" } },
      results: {
        // Those with values of a person are seen by that person only.
        where: { run: { systemValues: { equals: Prisma.DbNull } } },
        omit: { gzippedJson: true },
        include: { run: { select: { parameterValues: true, rowRightsVersion: true } } },
      },
    },
  });

type QueryRow = Awaited<ReturnType<typeof readQueries>>[number];

/** Its statement, everything else that is known about it, and its stored results. */
export async function* queryEntries(deps: Deps, place: Place, row: QueryRow): AsyncGenerator<TarEntry> {
  const name = toFileName(row.name ?? "query", row.id);
  const { updatedAt } = row;
  yield toEntry(`queries/${name}.sql`, row.sql, updatedAt);
  const results: object[] = [];
  for (const result of row.results) {
    const { runId, rowCount, cutBy, completedAt, run } = result;
    // From before the policies and roles of the database.
    if (run.rowRightsVersion !== row.database.rowRightsVersion) continue;
    const entry = await resultEntry(deps, place, { name, ...result });
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
  { organizationId, folder }: Place,
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
