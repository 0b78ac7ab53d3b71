import { AutomationBrief, type AutomationStep } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { maxAttempts } from "../../leases.ts";
import { namedRunColumns, type NamedRunRow } from "../runs/automation-run-row.ts";
import { toStep } from "../runs/step-row.ts";

interface ExternalClaim {
  organizationId: string;
  automationId: string | undefined;
  holder: string;
  seconds: number;
}

interface ClaimedExternalRun extends NamedRunRow {
  leaseNumber: number;
  leaseUntil: Date;
  deadlineAt: Date;
  brief: AutomationBrief;
  /** The transcript at the first claim: the instruction. Undefined at later claims, when it can be long. */
  steps: AutomationStep[] | undefined;
}

interface ClaimedRow extends Omit<ClaimedExternalRun, "brief" | "steps"> {
  brief: unknown;
  instruction: (Omit<Parameters<typeof toStep>[0], "createdAt"> & { createdAt: string }) | null;
}

/** Claims a run for an external agent: one whose lease has expired, or else the one that has waited longest. */
export async function claimExternalRun(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { organizationId, automationId, holder, seconds }: ExternalClaim,
): Promise<ClaimedExternalRun | undefined> {
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
    values: [organizationId, automationId ?? null, holder, clock.now(), seconds],
  });
  const [row] = rows;
  if (!row) return undefined;
  db.notices.publish("querybell_automation_run_changed", [row.id]);
  const { instruction, brief, ...run } = row;
  return {
    ...run,
    brief: AutomationBrief.parse(brief),
    steps: instruction ? [toInstruction(instruction)] : undefined,
  };
}

function toInstruction({ createdAt, ...step }: NonNullable<ClaimedRow["instruction"]>): AutomationStep {
  const writtenAt = new Date(createdAt);
  return toStep({ ...step, createdAt: writtenAt, endedAt: writtenAt });
}
