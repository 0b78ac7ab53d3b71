import {
  type Caller,
  FairSlots,
  type ResultInfo,
  type RunId,
  StoredParameterValues,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { restoreJson, unzipStored } from "./chain-bytes.ts";
import { notKept, readChain, readUnchained, sqlOf } from "./chain-rows.ts";

/** Describes the result of one run that is kept as history. For signed-in members. */
export async function getPastResultOfRun(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { organizationId }: Pick<Caller, "organizationId">,
  { id }: RunId,
): Promise<ResultInfo> {
  const { rows } = await db.pool.query<PastInfoRow>({
    name: "get_past_result",
    text: `
      SELECT past.run_id AS "runId", past.query_id AS "queryId", past.row_count AS "rowCount",
        past.json_bytes AS bytes, past.etag, past.completed_at AS "completedAt",
        past.completed_at + make_interval(days => organization.history_days) AS "expiresAt",
        run.parameter_values AS "parameterValues", run.query_version <> query.version AS "isOutdated"
      FROM past_results past JOIN query_runs run ON run.id = past.run_id
        JOIN queries query ON query.id = past.query_id
        JOIN organizations organization ON organization.id = past.organization_id
      WHERE past.run_id = $1 AND past.organization_id = $2 AND query.deleted_at IS NULL`,
    values: [id, organizationId],
  });
  const [row] = rows;
  if (!row || row.expiresAt <= clock.now()) throw notKept();
  return {
    ...row,
    cutBy: null,
    completedAt: row.completedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    parameterValues: StoredParameterValues.parse(row.parameterValues),
  };
}

interface PastInfoRow {
  runId: string;
  queryId: string;
  rowCount: number;
  bytes: number;
  etag: string;
  completedAt: Date;
  expiresAt: Date;
  parameterValues: unknown;
  isOutdated: boolean;
}

// Restoring takes the memory of two results, of at most 64 MiB each.
const slots = new FairSlots({ size: 4, maxPerOrganization: 2, waitMs: 30_000 });

/** The JSON of a past result, as its run wrote it. Throws if it is not kept any more. */
export async function readPastJson(
  { db }: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
  { runId }: { runId: string },
): Promise<Buffer> {
  const { rows } = await db.pool.query<{ chainId: string | null; position: number | null }>({
    name: "find_past_result",
    text: 'SELECT chain_id AS "chainId", position FROM past_results WHERE run_id = $1 AND organization_id = $2',
    values: [runId, organizationId],
  });
  const [row] = rows;
  if (!row) throw notKept();
  const release = await slots.acquire(organizationId);
  try {
    return await restore(db, runId, row);
  } finally {
    release?.();
  }
}

export interface FoundPastResult {
  runId: string;
  chainId: string | null;
}

/**
 * Reads several past results of one query and set of values, each as its run wrote it. Each chain is restored once. A result
 * that is moved or deleted meanwhile is left out.
 */
export async function* readPastJsons(
  { db }: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
  found: readonly FoundPastResult[],
): AsyncGenerator<{ runId: string; json: Buffer }> {
  const release = await slots.acquire(organizationId);
  const runSql = sqlOf(db.prisma);
  const wanted = new Set(found.map(({ runId }) => runId));
  try {
    for (const chainId of new Set(found.flatMap(({ chainId: id }) => id ?? []))) {
      const pieces = await readChain(runSql, chainId).catch(() => []);
      let position = 0;
      for await (const json of restoreJson(pieces)) {
        const { runId = "" } = pieces[position++] ?? {};
        if (wanted.delete(runId)) yield { runId, json };
      }
    }
    for (const { runId, bytes, jsonBytes } of await readUnchained(runSql, [...wanted])) {
      yield { runId, json: await unzipStored(bytes, jsonBytes) };
    }
  } finally {
    release?.();
  }
}

async function restore(
  db: Deps["db"],
  runId: string,
  { chainId, position }: { chainId: string | null; position: number | null },
): Promise<Buffer> {
  const runSql = sqlOf(db.prisma);
  if (chainId === null || position === null) {
    const [row] = await readUnchained(runSql, [runId]);
    // It was compressed meanwhile, if it is not gone.
    if (!row) return restoreAgain(db, runId);
    return unzipStored(row.bytes, row.jsonBytes);
  }
  const pieces = await readChain(runSql, chainId, position);
  // It was moved into another chain meanwhile, if it is not gone.
  if (pieces.at(-1)?.runId !== runId) return restoreAgain(db, runId);
  let last: Buffer | undefined;
  for await (const json of restoreJson(pieces)) last = json;
  if (!last) throw notKept();
  return last;
}

async function restoreAgain(db: Deps["db"], runId: string): Promise<Buffer> {
  const row = await db.prisma.pastResult.findFirst({
    where: { runId },
    select: { chainId: true, position: true },
  });
  if (!row?.chainId) throw notKept();
  return restore(db, runId, row);
}
