import type { Tx } from "@querybell/db";
import { AppError, type RunDetail } from "@querybell/domain";
import type { ComputeRequest, StoredResult } from "@querybell/engine-hosts";
import { maxReadableBytes, type ResultOperation } from "@querybell/summaries";
import { type ComputedAnswer, computeStored } from "../../../results/compute-stored.ts";
import { inMemory, readStoredBytes, smallBytes } from "../../../results/read-result.ts";
import { type StepRow, writeStepIn } from "../../runs/write-step.ts";
import type { QueryAnswer, StepResult } from "../agent.ts";
import { type Call, type ToolWork, toStepWrite } from "./tool-call.ts";

/** `bytes`: the compressed result, if it is small. */
type StoreOutcome =
  | { kind: "stored"; step: StepRow; bytes: Buffer | undefined }
  | { kind: "gone" | "too_large" };

interface StoredCall {
  call: Call;
  title: string;
  run: RunDetail;
  /** Whether the model wrote the SQL. Only the step keeps such a result: those who read the chat may see it. */
  isOwnSql: boolean;
}

/** How often a result may be replaced by a newer one while it is read. */
const maxReplaced = 10;

/**
 * Ends a step and stores a copy of the result with it: the latest result for equal values, which may be from
 * a later run. If the result is replaced meanwhile, the newer one is used.
 */
export async function storeStepResult(work: ToolWork, stored: StoredCall): Promise<StoreOutcome> {
  for (let replaced = 0; replaced < maxReplaced; replaced++) {
    const outcome = await copyLatestResult(work, stored);
    if (outcome.kind !== "replaced") return outcome;
  }
  return { kind: "gone" };
}

/** The database copies the bytes; an engine host reads them for the preview of the step. */
async function copyLatestResult(
  work: ToolWork,
  { call, title, run, isOwnSql }: StoredCall,
): Promise<StoreOutcome | { kind: "replaced" }> {
  const { deps, run: automationRun } = work;
  const row = await findLatestResult(deps, run.id);
  if (!row) return { kind: "gone" };
  const { runId, cut, bytes } = row;
  if (row.jsonBytes > maxReadableBytes) return { kind: "too_large" };
  const answer = await computePreview(work, { runId, cut, bytes });
  if (typeof answer === "string") return { kind: answer };
  return deps.db.transaction(async (tx): Promise<StoreOutcome | { kind: "replaced" }> => {
    // Locked, so that no newer result replaces it before it is copied.
    const locked = await tx.$queryRaw<unknown[]>`
      SELECT 1 FROM query_results WHERE run_id = ${runId}::uuid FOR SHARE`;
    if (locked.length === 0) return { kind: "replaced" };
    const ended = { state: "completed" as const, text: title, output: answer.preview, queryRunId: runId };
    const step = await writeStepIn({ ...deps, tx }, automationRun, toStepWrite(call, ended));
    await copyResult(tx, { run: automationRun, stepId: step.id, queryRunId: runId });
    if (isOwnSql) await tx.queryResult.delete({ where: { runId }, select: { runId: true } });
    // An equal call may have ended the step before, with the result of another run.
    return { kind: "stored", step, bytes: step.queryRunId === runId ? bytes : undefined };
  });
}

interface LatestResult {
  runId: string;
  jsonBytes: number;
  cut: boolean;
  /** All of it, if it is small. */
  bytes: Buffer | undefined;
}

/** The latest result for the values of a query run. */
async function findLatestResult(
  { db }: ToolWork["deps"],
  queryRunId: string,
): Promise<LatestResult | undefined> {
  const { rows } = await db.pool.query<Omit<LatestResult, "bytes"> & { bytes: Buffer | null }>({
    name: "find_latest_result",
    text: `
      SELECT r.run_id AS "runId", r.json_bytes AS "jsonBytes", r.cut_by IS NOT NULL AS cut,
        CASE WHEN octet_length(r.gzipped_json) <= ${smallBytes} THEN r.gzipped_json END AS bytes
      FROM query_runs q JOIN query_results r
        ON r.query_id = q.query_id AND r.parameter_values_hash = q.parameter_values_hash
      WHERE q.id = $1 ORDER BY r.completed_at DESC LIMIT 1`,
    values: [queryRunId],
  });
  const [row] = rows;
  return row && { ...row, bytes: row.bytes ?? undefined };
}

interface ResultToCopy {
  run: Pick<ToolWork["run"], "id" | "organizationId">;
  stepId: string;
  queryRunId: string;
}

/**
 * Keeps a result, which is locked, with a step, and a hash of the rights with which it was made: results are compared
 * only with those of equal rights. Hashed, because the values can have the address of a person.
 */
export const copyResult = (
  tx: Tx,
  { run, stepId, queryRunId }: ResultToCopy,
): Promise<number> => tx.$executeRaw`
  INSERT INTO automation_results (step_id, organization_id, run_id, gzipped_json, cut, rights_hash)
  SELECT ${stepId}::uuid, ${run.organizationId}::uuid, ${run.id}::uuid, r.gzipped_json, r.cut_by IS NOT NULL,
    sha256(convert_to(concat(q.row_rights_version, ' ', q.system_values), 'UTF8'))
  FROM query_results r JOIN query_runs q ON q.id = r.run_id WHERE r.run_id = ${queryRunId}::uuid
  ON CONFLICT DO NOTHING`;

type Previewed =
  | { kind: "computed"; preview: ComputedAnswer<"preview">["preview"] }
  | { kind: "gone" | "too large" };

/** The preview of the result of one run, and of no later one. */
export async function previewResult(work: ToolWork, { runId }: { runId: string }): Promise<Previewed> {
  const row = await work.deps.db.prisma.queryResult.findUnique({
    where: { runId },
    select: { jsonBytes: true, cutBy: true },
  });
  if (!row) return { kind: "gone" };
  if (row.jsonBytes > maxReadableBytes) return { kind: "too large" };
  const answer = await computePreview(work, { runId, cut: row.cutBy !== null });
  if (typeof answer === "string") return { kind: answer === "replaced" ? "gone" : "too large" };
  return { kind: "computed", preview: answer.preview };
}

async function computePreview(
  work: ToolWork,
  { runId, cut, bytes }: Pick<LatestResult, "runId" | "cut"> & Partial<LatestResult>,
) {
  const { organizationId } = work.run;
  const read = () =>
    bytes ? inMemory(bytes) : readStoredBytes(work.deps, { table: "query_results", organizationId, runId });
  try {
    const answer = await computeResults(work, { operation: { name: "preview" }, results: [{ cut, read }] });
    return answer ?? "too_large";
  } catch (error) {
    if (error instanceof AppError && error.code === "result_expired") return "replaced";
    throw error;
  }
}

interface StepResultsRow extends Omit<StepResult, "bytes"> {
  previousStepId: string | null;
  previousCut: boolean;
}

/**
 * The result of a step, and that of the call with the same name in the last completed run of the automation, or of the one
 * that is tried. The latter is null if it is of other rights: rows that the automation's person may not see would count as
 * gone, and be named.
 */
export async function readStepResults(
  { deps, run }: ToolWork,
  { id: stepId, name }: Pick<StepRow, "id" | "name">,
): Promise<Pick<QueryAnswer, "result" | "previous">> {
  const { rows } = await deps.db.pool.query<StepResultsRow>({
    name: "read_step_results",
    // Only one of the last completed runs has results: see end_automation_run.
    text: `
      SELECT own.step_id AS "stepId", own.cut, own.rights_hash AS "rightsHash", earlier.step_id AS "previousStepId",
        earlier.cut AS "previousCut"
      FROM automation_results own LEFT JOIN LATERAL (
        SELECT result.step_id, result.cut
        FROM (
          SELECT id, completed_at FROM automation_runs
          WHERE automation_id = $2 AND organization_id = $3 AND status = 'completed' AND id <> $4
          ORDER BY completed_at DESC, id DESC LIMIT 10) AS run
          JOIN automation_results result ON result.run_id = run.id AND result.rights_hash = own.rights_hash
          JOIN automation_steps step ON step.id = result.step_id AND step.name = $5
        ORDER BY run.completed_at DESC, run.id DESC LIMIT 1
      ) AS earlier ON true
      WHERE own.step_id = $1 AND own.organization_id = $3`,
    values: [stepId, run.brief.comparedWith ?? run.automationId, run.organizationId, run.id, name],
  });
  const [row] = rows;
  if (!row) throw new Error(`The step ${stepId} has no result.`);
  const { cut, rightsHash, previousStepId, previousCut } = row;
  const previous = previousStepId === null ? null : { stepId: previousStepId, cut: previousCut, rightsHash };
  return { result: { stepId, cut, rightsHash }, previous };
}

export const toStoredResult = (
  { deps, run: { organizationId } }: ToolWork,
  { stepId, cut, bytes }: StepResult,
): StoredResult => ({
  cut,
  read: () =>
    bytes ? inMemory(bytes) : readStoredBytes(deps, { table: "automation_results", organizationId, stepId }),
});

/** Computes an operation on stored results in an engine host. Undefined when the results are too large for it. */
export const computeResults = <Name extends ResultOperation["name"]>(
  { deps, run: { organizationId }, signal }: ToolWork,
  request: Omit<ComputeRequest<Name>, "organizationId">,
): Promise<ComputedAnswer<Name> | undefined> =>
  computeStored<Name>(deps, { organizationId, ...request }, signal);
