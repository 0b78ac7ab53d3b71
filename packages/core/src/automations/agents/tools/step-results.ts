import type { Tx } from "@querybell/db";
import { AppError, type RunDetail } from "@querybell/domain";
import type { ComputeRequest, StoredResult } from "@querybell/engine-hosts";
import { maxReadableBytes, type ResultOperation } from "@querybell/summaries";
import { type ComputedAnswer, computeStored } from "../../../results/compute-stored.ts";
import { readStoredBytes } from "../../../results/read-result.ts";
import { type StepRow, writeStepIn } from "../../runs/write-step.ts";
import type { StepResult } from "../agent.ts";
import { type Call, type ToolWork, toStepWrite } from "./tool-call.ts";

type StoreOutcome = { kind: "stored"; step: StepRow } | { kind: "gone" | "too_large" };

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
  const { parameterValuesHash } = await deps.db.prisma.queryRun.findUniqueOrThrow({ where: { id: run.id } });
  const key = { queryId: run.queryId, parameterValuesHash };
  const row = await deps.db.prisma.queryResult.findFirst({
    where: key,
    orderBy: { completedAt: "desc" },
    omit: { gzippedJson: true },
  });
  if (!row) return { kind: "gone" };
  if (row.jsonBytes > maxReadableBytes) return { kind: "too_large" };
  const cut = row.cutBy !== null;
  const answer = await computePreview(work, { runId: row.runId, cut });
  if (typeof answer === "string") return { kind: answer };
  return deps.db.transaction(async (tx): Promise<StoreOutcome | { kind: "replaced" }> => {
    // Locked, so that no newer result replaces it before it is copied.
    const locked = await tx.$queryRaw<unknown[]>`
      SELECT 1 FROM query_results WHERE run_id = ${row.runId}::uuid FOR SHARE`;
    if (locked.length === 0) return { kind: "replaced" };
    const ended = { state: "completed" as const, text: title, output: answer.preview, queryRunId: row.runId };
    const step = await writeStepIn({ ...deps, tx }, automationRun, toStepWrite(call, ended));
    await copyResult(tx, { run: automationRun, stepId: step.id, queryRunId: row.runId });
    if (isOwnSql) await tx.queryResult.delete({ where: { runId: row.runId }, select: { runId: true } });
    return { kind: "stored", step };
  });
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

async function computePreview(work: ToolWork, { runId, cut }: { runId: string; cut: boolean }) {
  const { organizationId } = work.run;
  const read = () => readStoredBytes(work.deps, { table: "query_results", organizationId, runId });
  try {
    const answer = await computeResults(work, { operation: { name: "preview" }, results: [{ cut, read }] });
    return answer ?? "too_large";
  } catch (error) {
    if (error instanceof AppError && error.code === "result_expired") return "replaced";
    throw error;
  }
}

export async function getStepResult({ deps }: ToolWork, stepId: string): Promise<StepResult> {
  return deps.db.prisma.automationResult.findUniqueOrThrow({
    where: { stepId },
    select: { stepId: true, cut: true },
  });
}

/**
 * The result of the call with the same name in the last completed run of the automation, or of the one that is tried.
 * None if it is of other rights: rows that the automation's person may not see would count as gone, and be named.
 */
export async function findPreviousResult(
  { deps, run }: ToolWork,
  { id: stepId, name }: Pick<StepRow, "id" | "name">,
): Promise<StepResult | null> {
  const { rightsHash } = await deps.db.prisma.automationResult.findUniqueOrThrow({
    where: { stepId },
    select: { rightsHash: true },
  });
  if (rightsHash === null) return null;
  return deps.db.prisma.automationResult.findFirst({
    where: {
      step: { name },
      rightsHash,
      run: {
        automationId: run.brief.comparedWith ?? run.automationId,
        organizationId: run.organizationId,
        status: "completed",
        id: { not: run.id },
      },
    },
    select: { stepId: true, cut: true },
  });
}

export const toStoredResult = (
  { deps, run: { organizationId } }: ToolWork,
  { stepId, cut }: StepResult,
): StoredResult => ({
  cut,
  read: () => readStoredBytes(deps, { table: "automation_results", organizationId, stepId }),
});

/** Computes an operation on stored results in an engine host. Undefined when the results are too large for it. */
export const computeResults = <Name extends ResultOperation["name"]>(
  { deps, run: { organizationId }, signal }: ToolWork,
  request: Omit<ComputeRequest<Name>, "organizationId">,
): Promise<ComputedAnswer<Name> | undefined> =>
  computeStored<Name>(deps, { organizationId, ...request }, signal);
