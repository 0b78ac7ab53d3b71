import { AppError, DatabaseLimits, positionAt, type RunFailure, RunFailureCode } from "@querybell/domain";
import {
  type CompletedRun,
  type Database,
  type EngineFailure,
  Origin,
  originOf,
  type TaskOptions,
} from "@querybell/engines";
import { z } from "zod";
import { knownServers } from "../databases/known-servers.ts";
import { clampLimits } from "../databases/limits.ts";
import { openConnection } from "../databases/open-connection.ts";
import type { Deps } from "../deps.ts";
import { maxAttempts } from "../leases/lease-limits.ts";
import { cancelledFailure } from "./cancel-run.ts";
import { completeRun, failRun, giveRunBack } from "./end-run.ts";
import { keepRunLease } from "./keep-lease.ts";
import type { Lease } from "./lease.ts";

interface ExecuteOptions {
  /** Aborted when this worker stops: a run that is not over by then is given to another. */
  signal: AbortSignal;
  onError: (error: unknown) => void;
}

// Runs that were queued before origins were stored have none.
const Statement = z.object({
  text: z.string(),
  values: z.array(z.string()),
  origins: z.array(Origin).default([]),
});

type RunOutcome = CompletedRun | { kind: "failed"; failure: RunFailure };

/** Executes a run that was claimed, and writes down how it ended. */
export async function executeRun(
  deps: Deps,
  lease: Lease,
  { signal, onError }: ExecuteOptions,
): Promise<void> {
  const kept = keepRunLease(deps, lease, onError);
  try {
    const outcome = await execute(deps, lease, {
      signal: AbortSignal.any([kept.signal, signal]),
      onProgress: kept.progress,
    });
    await kept.stop();
    if (outcome.kind === "completed") await completeRun(deps, lease, outcome);
    else if (wasInterrupted(outcome.failure, signal, kept.signal)) await giveRunBack(deps, lease);
    else await failRun(deps, lease, outcome.failure);
  } finally {
    await kept.stop();
  }
}

/** Ended by our own stop and by nobody's wish. */
const wasInterrupted = ({ code }: RunFailure, stopping: AbortSignal, cancelled: AbortSignal) =>
  code === "cancelled" && stopping.aborted && !cancelled.aborted;

async function execute(
  deps: Deps,
  { runId, queryId, queryVersion, leaseNumber, cancelRequested, statement }: Lease,
  options: { signal: AbortSignal; onProgress: TaskOptions["onProgress"] },
): Promise<RunOutcome> {
  if (cancelRequested) return { kind: "failed", failure: cancelledFailure };
  if (leaseNumber > maxAttempts) return { kind: "failed", failure: lostFailure };
  const query = await deps.db.prisma.query.findUniqueOrThrow({
    where: { id: queryId },
    include: { database: true, organization: true },
  });
  if (query.database.deletedAt) return { kind: "failed", failure: deletedFailure };
  const limits = clampLimits(deps.deployment, DatabaseLimits.parse(query.database.limits));
  let database: Database;
  try {
    database = openConnection(deps, query.organization, query.database);
  } catch (error) {
    return { kind: "failed", failure: toFailure(error) };
  }
  const { origins, ...compiled } = Statement.parse(statement);
  const { organizationId } = query;
  const outcome = await deps.engines.run(
    {
      organizationId,
      database,
      knownServers: knownServers(deps, query),
      statement: compiled,
      limits,
      label: `run-${runId}`,
      isTakenOver: leaseNumber > 1,
    },
    options,
  );
  if (outcome.kind === "completed") return outcome;
  // The statement's own text is at hand unless it was edited meanwhile, and then the run is cancelled anyway.
  const sql = query.version === queryVersion ? query.sql : undefined;
  return { kind: "failed", failure: withPosition(outcome.failure, origins, sql) };
}

function withPosition(
  { offset, ...failure }: EngineFailure,
  origins: Origin[],
  sql: string | undefined,
): RunFailure {
  if (offset === undefined || origins.length === 0 || sql === undefined) return failure;
  return { ...failure, position: positionAt(sql, originOf(origins, offset)) };
}

/** What an admin can put right is the run's failure; anything else is a bug and ends the job. */
function toFailure(error: unknown): RunFailure {
  const { data: code } = RunFailureCode.safeParse(error instanceof AppError ? error.code : undefined);
  if (code === undefined || !(error instanceof AppError)) throw error;
  return { code, message: error.message };
}

const lostFailure: RunFailure = {
  code: "worker_lost",
  message: `The run was begun ${maxAttempts} times, and each time the worker ended before it. Run the query again; if that does not help, make it read less.`,
};

const deletedFailure: RunFailure = {
  code: "database_deleted",
  message: "The database was deleted before the run began. Choose another database for the query.",
};
