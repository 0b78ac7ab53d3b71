import type { Prisma } from "@querybell/db";
import {
  AppError,
  type Caller,
  CutBy,
  type GetResult,
  type ResultInfo,
  type RunId,
  StoredParameterValues,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { getQueryRow } from "../queries/get-query.ts";
import { getRunRow } from "../runs/get-run.ts";
import { readValues } from "../runs/parameter-definitions.ts";
import { type PreparedRun, prepareRun, readStatement } from "../runs/prepare-run.ts";

/** Gets the cached result of a query: for these values or, without values, of its latest completed run. */
export async function getResult(
  deps: Deps,
  caller: Caller,
  { id, shortId, parameterValues: given }: GetResult,
): Promise<ResultInfo> {
  const { prisma } = deps.db;
  const query = await getQueryRow(deps, caller, id);
  let hash: Pick<PreparedRun, "parameterValuesHash"> | undefined;
  if (given) {
    const statement = await readStatement(prisma, query);
    const values = await readValues(prisma, statement, { queryId: id, shortId, given });
    const { parameterValuesHash } = prepareRun(statement, values, deps.clock);
    hash = { parameterValuesHash };
  }
  const run = await prisma.queryRun.findFirst({
    where: { queryId: id, status: "completed", ...hash },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
  });
  if (!run) throw noResult("The query has no successful run yet. Run or refresh it first.");
  return getCachedResult(deps, run, query);
}

/** Gets the cached result of one run. */
export async function getResultOfRun(deps: Deps, caller: Caller, { id }: RunId): Promise<ResultInfo> {
  const run = await getRunRow(deps, caller, id);
  if (run.status === "failed") throw noResult(`This run failed: ${run.failureReason}`);
  if (run.status !== "completed") throw noResult("This run has not ended yet. Watch it, or ask again.");
  const query = await deps.db.prisma.query.findUniqueOrThrow({ where: { id: run.queryId } });
  return getCachedResult(deps, run, query);
}

const noResult = (sentence: string) => new AppError("result_not_found", sentence);

async function getCachedResult(
  { db, clock }: Deps,
  run: Prisma.QueryRunModel,
  { version }: Pick<Prisma.QueryModel, "version">,
): Promise<ResultInfo> {
  const row = await db.prisma.queryResult.findUnique({
    where: { runId: run.id },
    omit: { gzippedJson: true },
  });
  if (!row || row.expiresAt <= clock.now()) {
    throw new AppError(
      "result_expired",
      "The cached result has expired. Refresh the query to get a new one.",
    );
  }
  return {
    runId: row.runId,
    queryId: row.queryId,
    rowCount: row.rowCount,
    bytes: row.jsonBytes,
    cutBy: CutBy.nullable().parse(row.cutBy),
    etag: row.etag,
    completedAt: row.completedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    parameterValues: StoredParameterValues.parse(run.parameterValues),
    isOutdated: run.queryVersion !== version,
  };
}
