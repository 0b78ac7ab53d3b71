import type { AutomationStep, Caller, ReportStep } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { findRun } from "../../runs/get-run.ts";
import { toStep } from "../runs/step-row.ts";
import { writeStep } from "../runs/write-step.ts";
import { findClaimed } from "./find-claimed.ts";

/** Writes a step of an external agent into the chat. */
export async function reportStep(
  deps: Deps,
  caller: Caller,
  { step, ...claim }: ReportStep,
): Promise<AutomationStep> {
  const run = await findClaimed(deps, caller, claim);
  const { queryRunId, ...content } = { queryRunId: undefined, ...step };
  if (queryRunId !== undefined) await findRun(deps, caller, queryRunId);
  const written = { ...content, queryRunId: queryRunId ?? null };
  return deps.db.transaction(async (tx) => toStep(await writeStep({ ...deps, tx }, run, written)));
}
