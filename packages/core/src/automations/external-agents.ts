import {
  AppError,
  type AutomationAgent,
  AutomationBrief,
  type AutomationRun,
  type AutomationStep,
  type Caller,
  type Claim,
  type ClaimRun,
  type CompleteClaimedRun,
  type FailClaimedRun,
  type ListClaimedSteps,
  type Page,
  type RenewClaim,
  type RenewedClaim,
  type ReportStep,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { maxAttempts, renewLease } from "../leases.ts";
import { getRunRow } from "../runs/get-run.ts";
import { triggerOf } from "../runs/start-run.ts";
import { automationNotFound } from "./get-automation.ts";
import { type AutomationEnd, endClaimedRun } from "./runs/end-automation-run.ts";
import {
  type NamedRunRow,
  namedRunColumns,
  runNotFound,
  toEndedRun,
  toNamedRun,
} from "./runs/get-automation-run.ts";
import { firstSteps, listSteps } from "./runs/read-steps.ts";
import { claimLost, type StepRow, toStep, writeStep } from "./runs/write-step.ts";

interface ClaimedRow extends NamedRunRow {
  leaseNumber: number;
  leaseUntil: Date;
  deadlineAt: Date;
  brief: unknown;
  /** The transcript at the first claim. Null at later claims, when it can be long. */
  instruction: (Omit<StepRow, "createdAt"> & { createdAt: string }) | null;
}

/**
 * Claims a run for an external agent: one whose lease has expired, or else the one that has waited longest. Null when
 * there is none.
 */
export async function claimRun(
  deps: Deps,
  caller: Caller,
  { automationId, leaseSeconds }: ClaimRun,
): Promise<Claim | null> {
  const { db, clock } = deps;
  const { organizationId } = caller;
  const { rows } = await db.pool.query<ClaimedRow>({
    name: "claim_external_run",
    text: `
      SELECT ${namedRunColumns}, lease_number AS "leaseNumber", lease_until AS "leaseUntil",
        deadline_at AS "deadlineAt", brief,
        (SELECT json_build_object('id', s.id, 'name', s.name, 'position', s.position, 'kind', s.kind, 'state', s.state,
            'text', s.text, 'tool', s.tool, 'input', s.input, 'output', s.output, 'queryRunId', s.query_run_id,
            'createdAt', s.created_at)
          FROM automation_steps s WHERE s.run_id = run.id AND s.position = 1 AND run.lease_number = 1) AS instruction
      FROM claim_external_run($1, $2, $3, $4, $5, ${maxAttempts}) AS run`,
    values: [organizationId, automationId ?? null, triggerOf(caller), clock.now(), leaseSeconds],
  });
  const [claimed] = rows;
  if (!claimed) {
    if (automationId !== undefined) await requireExternalAgent(deps, caller, automationId);
    return null;
  }
  db.notices.publish("querybell_automation_run_changed", [claimed.id]);
  const { items: steps, nextCursor } = claimed.instruction
    ? { items: [toInstruction(claimed.instruction)], nextCursor: undefined }
    : await firstSteps(deps, { runId: claimed.id, organizationId });
  return {
    run: toNamedRun(deps, claimed),
    brief: AutomationBrief.parse(claimed.brief),
    claimNumber: claimed.leaseNumber,
    leaseUntil: claimed.leaseUntil.toISOString(),
    deadlineAt: claimed.deadlineAt.toISOString(),
    steps,
    ...(nextCursor !== undefined && { stepsCursor: nextCursor }),
  };
}

function toInstruction({ createdAt, ...step }: NonNullable<ClaimedRow["instruction"]>): AutomationStep {
  const writtenAt = new Date(createdAt);
  return toStep({ ...step, createdAt: writtenAt, endedAt: writtenAt });
}

/** Runs keep the agent they were triggered with, so an external run may wait after the automation was changed. */
async function requireExternalAgent(deps: Deps, caller: Caller, automationId: string): Promise<void> {
  const { rows } = await deps.db.pool.query<{ agent: AutomationAgent; hasExternalRuns: boolean }>({
    name: "find_agent_of_automation",
    text: `
      SELECT agent, EXISTS (
        SELECT FROM automation_runs r
        WHERE r.automation_id = a.id AND r.status IN ('pending', 'running') AND r.agent = 'external') AS "hasExternalRuns"
      FROM automations a WHERE id = $1 AND organization_id = $2 AND deleted_at IS NULL`,
    values: [automationId, caller.organizationId],
  });
  const [automation] = rows;
  if (!automation) throw automationNotFound();
  if (automation.agent === "external" || automation.hasExternalRuns) return;
  throw new AppError(
    "conflict",
    `The agent of this automation is ${automation.agent}, so none of its runs is claimed. Change it to external, or claim of another automation.`,
  );
}

/** Extends the lease of a claimed run: the heartbeat of an external agent. */
export async function renewClaim(
  deps: Deps,
  caller: Caller,
  { leaseSeconds, ...claim }: RenewClaim,
): Promise<RenewedClaim> {
  const { id, leaseNumber } = await getClaimedRun(deps, caller, claim);
  const renewed = await renewLease(
    deps,
    { table: "automation_runs", id, leaseNumber },
    { seconds: leaseSeconds },
  );
  if (!renewed) throw claimLost();
  return { leaseUntil: renewed.leaseUntil.toISOString() };
}

interface NamedClaim {
  runId: string;
  claimNumber: number;
}

interface ClaimedRunRow extends NamedRunRow {
  organizationId: string;
  leaseNumber: number;
  leaseHolder: string;
}

/** Gets the run that the caller has claimed. The write that follows must check the claim number again. */
async function getClaimedRun(
  { db }: Pick<Deps, "db">,
  caller: Caller,
  { runId, claimNumber }: NamedClaim,
): Promise<ClaimedRunRow> {
  const { rows } = await db.pool.query<ClaimedRunRow>({
    name: "get_claimed_run",
    text: `
      SELECT ${namedRunColumns}, organization_id AS "organizationId", lease_number AS "leaseNumber",
        lease_holder AS "leaseHolder"
      FROM automation_runs WHERE id = $1 AND organization_id = $2`,
    values: [runId, caller.organizationId],
  });
  const [run] = rows;
  if (!run) throw runNotFound();
  const isClaimedByCaller = run.leaseNumber === claimNumber && run.leaseHolder === triggerOf(caller);
  if (run.agent !== "external" || run.status !== "running" || !isClaimedByCaller) throw claimLost();
  return run;
}

/** Lists the steps of a claimed run, including those of earlier claims. */
export async function listClaimedSteps(
  deps: Deps,
  caller: Caller,
  { runId, claimNumber, ...page }: ListClaimedSteps,
): Promise<Page<AutomationStep>> {
  await getClaimedRun(deps, caller, { runId, claimNumber });
  return listSteps(deps, caller, { runId, ...page });
}

/** Writes a step of an external agent to the transcript. */
export async function reportStep(
  deps: Deps,
  caller: Caller,
  { step, ...claim }: ReportStep,
): Promise<AutomationStep> {
  const run = await getClaimedRun(deps, caller, claim);
  const { queryRunId, ...content } = { queryRunId: undefined, ...step };
  // Not as the caller: everybody sees the transcript, so it cannot name a trial.
  if (queryRunId !== undefined) await getRunRow(deps, { organizationId: run.organizationId }, queryRunId);
  const written = { ...content, queryRunId: queryRunId ?? null };
  return toStep(await writeStep(deps, run, written));
}

export const completeClaimedRun = (
  deps: Deps,
  caller: Caller,
  { summary, ...claim }: CompleteClaimedRun,
): Promise<AutomationRun> => end(deps, caller, { ...claim, end: { kind: "completed", summary } });

export const failClaimedRun = (
  deps: Deps,
  caller: Caller,
  { reason, ...claim }: FailClaimedRun,
): Promise<AutomationRun> =>
  end(deps, caller, { ...claim, end: { kind: "failed", failure: { code: "agent_failed", reason } } });

async function end(
  deps: Deps,
  caller: Caller,
  { end, ...claim }: { runId: string; claimNumber: number; end: AutomationEnd },
): Promise<AutomationRun> {
  const { runId, claimNumber } = claim;
  const ended = await endClaimedRun(
    deps,
    {
      id: runId,
      organizationId: caller.organizationId,
      leaseNumber: claimNumber,
      leaseHolder: triggerOf(caller),
    },
    end,
  );
  if (ended) return toEndedRun(deps, { ...ended.run, completedAt: ended.completedAt, end });
  // Says whether there is no such run, or whether the claim is lost.
  await getClaimedRun(deps, caller, claim);
  throw claimLost();
}
