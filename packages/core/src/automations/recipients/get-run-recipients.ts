import { type AutomationRunId, type Caller, RunRecipients } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { getAutomationRunRow } from "../runs/get-automation-run.ts";

/** Who got rows of a run, each in a message of their own, and who got nothing. Null if the run has sent no such messages. */
export async function getRunRecipients(
  deps: Deps,
  caller: Caller,
  { id }: AutomationRunId,
): Promise<RunRecipients | null> {
  await getAutomationRunRow(deps, caller, { id });
  const row = await deps.db.prisma.runRecipients.findUnique({ where: { runId: id } });
  return row && RunRecipients.parse(row);
}
