import { type AutomationStep, type Caller, type ListSteps, maxSteps, type Page } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { readByteLimitedPage } from "../../paging/live-page.ts";
import { getAutomationRunRow } from "./get-automation-run.ts";
import { measureSteps, readSteps } from "./read-steps.ts";

/** Lists the steps of a run, oldest first. */
export async function listSteps(
  deps: Deps,
  caller: Caller,
  { runId, ...page }: ListSteps,
): Promise<Page<AutomationStep>> {
  const { organizationId } = await getAutomationRunRow(deps, caller, { id: runId });
  return readStepPage(deps, { runId, organizationId, ...page });
}

interface StepPage extends ListSteps {
  organizationId: string;
}

/** The first page of a transcript, with as many steps as the byte limit allows. */
export const firstSteps = (
  deps: Deps,
  run: Pick<StepPage, "runId" | "organizationId">,
): Promise<Page<AutomationStep>> => readStepPage(deps, { ...run, limit: maxSteps });

const readStepPage = (
  deps: Deps,
  { runId, organizationId, limit, cursor }: StepPage,
): Promise<Page<AutomationStep>> =>
  readByteLimitedPage(
    deps,
    { list: "automation_steps", organizationId, filter: `runId=${runId}`, limit, cursor },
    {
      measure: ({ after, take }) => measureSteps(deps, { runId, after, take }),
      read: (ids) => readSteps(deps, ids),
    },
  );
