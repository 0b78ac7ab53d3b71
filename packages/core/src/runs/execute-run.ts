import { AppError, DatabaseLimits, type RunFailure, RunFailureCode } from "@querybell/domain";
import type { Database, RunOutcome } from "@querybell/engines";
import { z } from "zod";
import { knownServers } from "../databases/known-servers.ts";
import { clampLimits } from "../databases/limits.ts";
import { openConnection } from "../databases/open-connection.ts";
import type { Deps } from "../deps.ts";
import { maxBeginnings } from "../leases/terms.ts";
import { cancelledFailure } from "./cancel-run.ts";
import { completeRun, failRun, giveRunBack } from "./end-run.ts";
import { keepRunLease } from "./keep-lease.ts";
import type { Lease } from "./lease.ts";

interface ExecuteOptions {
  /** Aborted when this worker stops: a run that is not over by then is given to another. */
  signal: AbortSignal;
  onError: (error: unknown) => void;
}

const Statement = z.object({ text: z.string(), values: z.array(z.string()) });

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
  { queryId, leaseNumber, cancelRequested, statement }: Lease,
  options: { signal: AbortSignal; onProgress: (rows: number) => void },
): Promise<RunOutcome> {
  if (cancelRequested) return { kind: "failed", failure: cancelledFailure };
  if (leaseNumber > maxBeginnings) return { kind: "failed", failure: lostFailure };
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
  const { organizationId } = query;
  return deps.engines.run(
    {
      organizationId,
      database,
      knownServers: knownServers(deps, query),
      statement: Statement.parse(statement),
      limits,
    },
    options,
  );
}

/** What an admin can put right is the run's failure; anything else is a bug and ends the job. */
function toFailure(error: unknown): RunFailure {
  const { data: code } = RunFailureCode.safeParse(error instanceof AppError ? error.code : undefined);
  if (code === undefined || !(error instanceof AppError)) throw error;
  return { code, message: error.message };
}

const lostFailure: RunFailure = {
  code: "worker_lost",
  message: `The run was begun ${maxBeginnings} times, and each time the worker ended before it. Run the query again; if that does not help, make it read less.`,
};

const deletedFailure: RunFailure = {
  code: "database_deleted",
  message: "The database was deleted before the run began. Choose another database for the query.",
};
