import type { Prisma } from "@querybell/db";
import { PastFigures } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { writingTimeoutMs } from "../runs/end-run.ts";
import { maxKeptJsonBytes, unzipStored } from "./chain-bytes.ts";
import { maxChainResults, type PastRow, readUnchained, type Series, sqlOf } from "./chain-rows.ts";
import { ChainWriter } from "./chain-writer.ts";

/** Results wait so long, so that the work for them does not compete with runs that start together. */
const waitMs = 60_000;

/**
 * Compresses the results of the last minutes into chains. A result that was stored and not compressed, because the process
 * died, is compressed by the next call. Returns how many were compressed.
 */
export async function keepResults(deps: Deps, signal = new AbortController().signal): Promise<number> {
  const before = new Date(deps.clock.now().getTime() - waitMs);
  let kept = 0;
  for (;;) {
    signal.throwIfAborted();
    const waiting = await findWaiting(deps, before);
    if (!waiting) return kept;
    kept += await keepSeries(deps, waiting, signal);
  }
}

interface WaitingSeries extends Series {
  /** The time of its first result that waits. */
  since: Date;
}

async function findWaiting({ db }: Pick<Deps, "db">, before: Date): Promise<WaitingSeries | undefined> {
  const [row] = await db.prisma.$queryRaw<WaitingSeries[]>`
    SELECT organization_id AS "organizationId", query_id AS "queryId", parameter_values_hash AS "parameterValuesHash",
      completed_at AS since
    FROM past_results WHERE chain_id IS NULL AND completed_at <= ${before} ORDER BY completed_at LIMIT 1`;
  return row;
}

async function keepSeries(
  deps: Deps,
  { since, ...series }: WaitingSeries,
  signal: AbortSignal,
): Promise<number> {
  const { db, clock } = deps;
  const { queryId, parameterValuesHash } = series;
  const waiting = await db.prisma.$queryRaw<{ runId: string; jsonBytes: number }[]>`
    SELECT run_id AS "runId", json_bytes AS "jsonBytes" FROM past_results
    WHERE query_id = ${queryId}::uuid AND parameter_values_hash = ${parameterValuesHash} AND chain_id IS NULL
      AND completed_at >= ${since}
    ORDER BY query_id, parameter_values_hash, completed_at, run_id LIMIT ${maxChainResults}`;
  let left = maxKeptJsonBytes;
  const chosen = waiting.filter(({ jsonBytes }, index) => {
    left -= jsonBytes;
    return index === 0 || left >= 0;
  });
  const rows = await readUnchained(
    sqlOf(db.prisma),
    chosen.map(({ runId }) => runId),
  );
  const jsons = new Map<string, Buffer>();
  for (const { runId, bytes, jsonBytes } of rows) {
    const json = await unzipStored(bytes, jsonBytes).catch(() => undefined);
    if (json) jsons.set(runId, json);
    // An engine host wrote what is no result.
    else await db.prisma.pastResult.deleteMany({ where: { runId } });
  }
  const figures = await computeFigures(
    deps,
    { organizationId: series.organizationId, rows: rows.filter(({ runId }) => jsons.has(runId)) },
    signal,
  );
  return db.transaction(
    async (tx) => {
      // Another worker may have compressed them meanwhile, and a run or a query may be gone.
      const locked = await tx.$queryRaw<{ runId: string }[]>`
        SELECT run_id AS "runId" FROM past_results
        WHERE run_id = ANY(${[...jsons.keys()]}::uuid[]) AND chain_id IS NULL
        ORDER BY completed_at, run_id FOR UPDATE`;
      if (locked.length === 0) return 0;
      const writer = await ChainWriter.open({ tx, clock }, { series, isThinned: false });
      const stillWaiting = new Set(locked.map(({ runId }) => runId));
      for (const { runId, completedAt } of rows) {
        const json = stillWaiting.has(runId) ? jsons.get(runId) : undefined;
        if (json) await writer.add({ runId, completedAt, json, figures: figures.get(runId) });
      }
      return locked.length;
    },
    { timeoutMs: writingTimeoutMs },
  );
}

/** Figures of the columns with numbers, for the chart of one number over the runs. None if they cannot be computed. */
async function computeFigures(
  deps: Deps,
  { organizationId, rows }: { organizationId: string; rows: readonly PastRow[] },
  signal: AbortSignal,
): Promise<Map<string, Prisma.InputJsonObject>> {
  if (rows.length === 0) return new Map();
  const results = rows.map(({ bytes }) => ({
    cut: false,
    async *read() {
      yield bytes;
    },
  }));
  const operation = { name: "figures" } as const;
  // A failure must not stop the results that follow: these have no figures then.
  const outcome = await deps.engines.compute({ organizationId, operation, results }, { signal });
  signal.throwIfAborted();
  const found = outcome.kind === "computed" ? outcome.answer.figures : [];
  return new Map(
    rows.flatMap(({ runId }, index) => {
      const figures = found[index];
      return figures ? [[runId, PastFigures.parse(figures)] as const] : [];
    }),
  );
}
