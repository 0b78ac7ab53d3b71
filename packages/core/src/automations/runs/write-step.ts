import { inTransaction, onPool, type Prisma, type RunStatement, type Tx } from "@querybell/db";
import { AppError, AutomationStep, maxSteps, newId, toStorable } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import type { RunLease } from "../../leases.ts";

export interface StepWrite {
  name: string;
  kind: "message" | "tool_call";
  state: "running" | "completed" | "failed";
  text: string;
  tool?: string;
  input?: Prisma.InputJsonValue;
  output?: Prisma.InputJsonValue;
  queryRunId?: string | null;
}

export const claimLost = () =>
  new AppError("claim_lost", "This run has ended, or another agent has claimed it. Claim another one.");

/**
 * Creates a step, or updates it while its state is `running`, which is how a step streams. Returns an ended step
 * unchanged. Only the newest lease may write.
 */
export async function writeStep(
  deps: Pick<Deps, "db" | "clock">,
  run: RunLease,
  step: StepWrite,
): Promise<StepRow> {
  const written = await write(onPool(deps.db), { ...deps, run, step, isAlone: true });
  deps.db.notices.publish("querybell_automation_run_changed", [run.id]);
  return written;
}

/** The same in the transaction of the caller. */
export const writeStepIn = (
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  run: RunLease,
  step: StepWrite,
): Promise<StepRow> => write(inTransaction(tx), { clock, run, step, isAlone: false });

interface Write extends Pick<Deps, "clock"> {
  run: RunLease;
  step: StepWrite;
  /** Whether nothing else happens in the transaction. Its notice is then sent after it. */
  isAlone: boolean;
}

interface WrittenRow extends StepRow {
  outcome: "written" | "unchanged" | "claim_lost" | "other_kind" | "too_many";
}

async function write(runStatement: RunStatement, { clock, run, step, isAlone }: Write): Promise<StepRow> {
  const [row] = await runStatement<WrittenRow>({
    name: "write_automation_step",
    text: `
      SELECT outcome, (step).id, (step).name, (step).position, (step).kind::text, (step).state::text, (step).text,
        (step).tool, (step).input, (step).output, (step).query_run_id AS "queryRunId", (step).created_at AS "createdAt",
        (step).ended_at AS "endedAt"
      FROM write_automation_step($1::uuid, $2::int, $3::uuid, $4, $5::automation_step_kind,
        $6::automation_step_state, $7, $8, $9::jsonb, $10::jsonb, $11::uuid, $12::boolean, $13::timestamptz,
        ${maxSteps}, $14::boolean)`,
    values: [
      run.id,
      run.leaseNumber,
      newId(clock),
      step.name,
      step.kind,
      step.state,
      toStorable(step.text),
      step.tool ?? null,
      toJson(step.input),
      toJson(step.output),
      step.queryRunId ?? null,
      step.queryRunId === undefined,
      clock.now(),
      isAlone,
    ],
  });
  switch (row?.outcome) {
    case "written":
    case "unchanged":
      return row;
    case "other_kind":
      throw new AppError(
        "conflict",
        `The step ${step.name} is a ${row.kind}. Keep its kind, or name another step.`,
      );
    case "too_many":
      throw new AppError("conflict", `A transcript has at most ${maxSteps} steps. Complete or fail the run.`);
    default:
      throw claimLost();
  }
}

// Texts of a database or a model can hold what Postgres cannot store.
const toJson = (value: Prisma.InputJsonValue | undefined): string | null =>
  value === undefined
    ? null
    : JSON.stringify(value, (_, inner) => (typeof inner === "string" ? toStorable(inner) : inner));

/** The columns that a step shows. */
export type StepRow = Omit<Prisma.AutomationStepModel, "organizationId" | "runId" | "revision">;

const { input, output } = AutomationStep.shape;

export const toStep = (row: StepRow): AutomationStep => ({
  id: row.id,
  name: row.name,
  position: row.position,
  kind: row.kind,
  state: row.state,
  text: row.text,
  tool: row.tool,
  input: input.parse(row.input),
  output: output.parse(row.output),
  queryRunId: row.queryRunId,
  createdAt: row.createdAt.toISOString(),
  endedAt: row.endedAt?.toISOString() ?? null,
});
