import type { Prisma } from "@querybell/db";
import type { RunDetail } from "@querybell/domain";
import { writeStep } from "../../automation-runs/write-step.ts";
import { previewOf, type ResultTable, readTable } from "../result-table.ts";
import { type Call, stepOf, type ToolWork } from "./tool-work.ts";

/** An agent reads a result as a whole: this much of one, and no more, fits beside the others in a worker. */
const maxJsonBytes = 64 * 1024 ** 2;

type Kept = { kind: "kept"; step: Prisma.AutomationStepModel } | { kind: "gone" | "too_large" };

/** Ends a step and keeps the result beside it. A newer result for equal values does as well, if there is one. */
export async function keepResult(
  { deps, run: held }: ToolWork,
  { call, title, run }: { call: Call; title: string; run: RunDetail },
): Promise<Kept> {
  const { parameterValuesHash } = await deps.db.prisma.queryRun.findUniqueOrThrow({ where: { id: run.id } });
  const found = { queryId: run.queryId, parameterValuesHash };
  const row = await deps.db.prisma.queryResult.findUnique({ where: { queryId_parameterValuesHash: found } });
  if (!row) return { kind: "gone" };
  if (row.jsonBytes > maxJsonBytes) return { kind: "too_large" };
  const cut = row.cutBy !== null;
  const output = previewOf(await readTable(row.gzippedJson, cut));
  return deps.db.transaction(async (tx) => {
    const ended = { state: "completed" as const, text: title, output, queryRunId: row.runId };
    const step = await writeStep({ ...deps, tx }, held, stepOf(call, ended));
    const { organizationId, id: runId } = held;
    const data = { stepId: step.id, organizationId, runId, gzippedJson: row.gzippedJson, cut };
    await tx.automationResult.createMany({ data, skipDuplicates: true });
    return { kind: "kept", step };
  });
}

export async function readKept({ deps }: ToolWork, stepId: string): Promise<ResultTable> {
  const { gzippedJson, cut } = await deps.db.prisma.automationResult.findUniqueOrThrow({ where: { stepId } });
  return readTable(gzippedJson, cut);
}

/** What the call of the same name found in the automation's last completed run. */
export async function readPrevious({ deps, run }: ToolWork, name: string): Promise<ResultTable | null> {
  const row = await deps.db.prisma.automationResult.findFirst({
    where: {
      step: { name },
      run: { automationId: run.automationId, status: "completed", id: { not: run.id } },
    },
  });
  return row && readTable(row.gzippedJson, row.cut);
}
