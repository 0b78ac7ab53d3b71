import { type AutomationStep, type Caller, type ListSteps, maxSteps, type Page } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { readMeasuredPage } from "../../paging/live-page.ts";
import { findAutomationRun } from "./find-automation-run.ts";
import { measureSteps, readSteps } from "./read-steps.ts";

/** A chat from its beginning. */
export async function listSteps(
  deps: Deps,
  caller: Caller,
  { runId, ...page }: ListSteps,
): Promise<Page<AutomationStep>> {
  const { organizationId } = await findAutomationRun(deps, caller, { id: runId });
  return readStepPage(deps, { runId, organizationId, ...page });
}

interface StepPage extends ListSteps {
  organizationId: string;
}

/** As many steps as one answer may hold, of the whole transcript. */
export const firstSteps = (
  deps: Deps,
  run: Pick<StepPage, "runId" | "organizationId">,
): Promise<Page<AutomationStep>> => readStepPage(deps, { ...run, limit: maxSteps });

const readStepPage = (
  deps: Deps,
  { runId, organizationId, limit, cursor }: StepPage,
): Promise<Page<AutomationStep>> =>
  readMeasuredPage(
    deps,
    { list: "automation_steps", organizationId, filter: `runId=${runId}`, limit, cursor },
    {
      measure: ({ after, take }) => measureSteps(deps, { runId, after, take }),
      read: (ids) => readSteps(deps, ids),
    },
  );
