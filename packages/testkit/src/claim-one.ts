import { claimAutomationRun, claimQueryRun, type Deps, type HeldRun, type Lease } from "@querybell/core";

/** Claims as a worker does that takes runs of one organization alone, so that tests never take each other's. */
async function claimOf(deps: Deps, organizationId: string) {
  const others = await deps.db.prisma.organization.findMany({
    where: { id: { not: organizationId } },
    select: { id: true },
  });
  return {
    workerId: "test",
    excludedOrganizations: others.map(({ id }) => id),
    organizationCeiling: null,
    totalCeiling: null,
    afterOrganization: null,
  };
}

/** Claims this run, which must be the next of its organization; undefined when none of its runs may be claimed. */
export async function claimOneQueryRun(deps: Deps, id: string): Promise<Lease | undefined> {
  const { organizationId } = await deps.db.prisma.queryRun.findUniqueOrThrow({ where: { id } });
  const lease = await claimQueryRun(deps, await claimOf(deps, organizationId));
  if (lease && lease.runId !== id) throw new Error(`Run ${lease.runId} is the next, not ${id}.`);
  return lease;
}

/** The same for a run of an automation. */
export async function claimOneAutomationRun(deps: Deps, id: string): Promise<HeldRun | undefined> {
  const { organizationId } = await deps.db.prisma.automationRun.findUniqueOrThrow({ where: { id } });
  const run = await claimAutomationRun(deps, await claimOf(deps, organizationId));
  if (run && run.id !== id) throw new Error(`Run ${run.id} is the next, not ${id}.`);
  return run;
}
