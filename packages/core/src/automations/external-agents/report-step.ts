import type { AutomationStep, Caller, ReportStep } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { getRunRow } from "../../runs/get-run.ts";
import { toStep } from "../runs/step-row.ts";
import { writeStep } from "../runs/write-step.ts";
import { getClaimedRun } from "./get-claimed-run.ts";

/** Writes a step of an external agent to the transcript. */
export async function reportStep(
  deps: Deps,
  caller: Caller,
  { step, ...claim }: ReportStep,
): Promise<AutomationStep> {
  const run = await getClaimedRun(deps, caller, claim);
  const { queryRunId, ...content } = { queryRunId: undefined, ...step };
  if (queryRunId !== undefined) await getRunRow(deps, caller, queryRunId);
  const written = { ...content, queryRunId: queryRunId ?? null };
  return toStep(await writeStep(deps, run, written));
}
