import type { Prisma, Tx } from "@querybell/db";
import type { AutomationFailure } from "@querybell/domain";
import type { ClaimedAutomationRun } from "../../runs/claim-automation-run.ts";
import { deletedFailure } from "./tool-work.ts";

type Found = { query: Prisma.QueryModel } | { failure: AutomationFailure };

/** Finds the query of a reference that the automation looks at. */
export async function findReference(
  tx: Pick<Tx, "queryReference">,
  { brief, organizationId }: Pick<ClaimedAutomationRun, "brief" | "organizationId">,
  shortId: string,
): Promise<Found> {
  const named = brief.references.find((reference) => reference.shortId === shortId);
  if (!named) return { failure: unknownReference };
  const found = await tx.queryReference.findFirst({
    where: { id: named.id, organizationId, deletedAt: null },
    include: { query: true },
  });
  return found?.query ? { query: found.query } : { failure: deletedFailure(named.title) };
}

const unknownReference: AutomationFailure = {
  code: "agent_failed",
  reason: "The agent asked for a reference that the automation does not look at.",
};
