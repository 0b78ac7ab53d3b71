import type { Prisma } from "@querybell/db";
import { AppError, GroupRoles, positionAt, type RunFailure, RunFailureCode } from "@querybell/domain";
import type { EngineFailure } from "@querybell/engine-hosts";
import type { Database } from "@querybell/engines";
import { Origin, originOf } from "@querybell/statements";
import { z } from "zod";
import { roleName } from "../access/system-values.ts";
import { openConnection } from "../databases/connections.ts";
import type { Deps } from "../deps.ts";
import { hasAttemptsLeft, maxAttempts, maxHostDeaths, workerLostText } from "../leases.ts";
import { type ClaimedQueryRun, getQueryOfRun } from "./claim-query-run.ts";
import { cancelledFailure } from "./end-run.ts";

// What executing one run and executing several together have in common.

export interface ExecuteOptions {
  /** Aborted when this worker stops. An unfinished run is then released for another worker. */
  signal: AbortSignal;
  onError: (error: unknown) => void;
  /** Called when the outcome is recorded: `completed`, or the code of the failure. For metrics. */
  onEnd?: (outcome: RunEnd) => void;
  /** The queries whose runs wait for this one, because they read the result of its chart. */
  waiting?: readonly string[];
}

export type RunEnd = "completed" | RunFailureCode;

const Statement = z.object({
  text: z.string(),
  values: z.array(z.string()),
  origins: z.array(Origin),
});

/** The statement of a run, as it is sent to the engine. */
export const readStatementOfRun = ({ statement }: Pick<ClaimedQueryRun, "statement">) =>
  Statement.parse(statement);

export function findFailureBeforeStart(run: ClaimedQueryRun): RunFailure | undefined {
  if (run.isCancelRequested) return cancelledFailure;
  if (run.hostDeaths >= maxHostDeaths) return lostFailure(maxHostDeaths);
  return hasAttemptsLeft(run) ? undefined : lostFailure(maxAttempts);
}

/** Aborted by shutdown, not by a user. */
export const wasInterrupted = ({ code }: RunFailure, stopping: AbortSignal, cancelled: AbortSignal) =>
  code === "cancelled" && stopping.aborted && !cancelled.aborted;

/** Deleting a database cancels its runs. They fail like runs that had not started. */
export async function explainCancel(
  deps: Deps,
  { queryId }: ClaimedQueryRun,
  failure: RunFailure,
): Promise<RunFailure> {
  if (failure.code !== "cancelled") return failure;
  const { database } = await getQueryOfRun(deps, queryId);
  return database.isDeleted ? deletedFailure : failure;
}

const RunValues = z.record(z.string(), z.string()).nullable();

/** The database as the role of the person for whom the run is. Undefined if it needs one and the run has none. */
export function withRole(
  database: Database,
  { id, groupRoles }: Pick<Prisma.AnalyticalDatabaseConfigModel, "id" | "groupRoles">,
  systemValues: unknown,
): Database | undefined {
  if (GroupRoles.parse(groupRoles).length === 0) return database;
  const encoded = RunValues.parse(systemValues)?.[roleName(id)];
  if (encoded === undefined || database.engine !== "postgres") return undefined;
  const role = z.string().parse(JSON.parse(encoded));
  return { ...database, configuration: { ...database.configuration, role } };
}

export const roleFailure: RunFailure = {
  code: "query_failed",
  message: "Queries on this database run with the role of a group since then. Run the query again.",
};

/** Names the run on the server, the same for every attempt. */
export const labelOf = (runId: string): string => `run-${runId}`;

export function openOrFailure(...connection: Parameters<typeof openConnection>): Database | RunFailure {
  try {
    return openConnection(...connection);
  } catch (error) {
    return toFailure(error);
  }
}

export function withPosition(
  { offset, ...failure }: EngineFailure,
  origins: Origin[],
  sql: string | undefined,
): RunFailure {
  if (offset === undefined || sql === undefined) return failure;
  return { ...failure, position: positionAt(sql, originOf(origins, offset)) };
}

/** Errors that an admin can fix become the run's failure. Other errors are bugs and are thrown. */
function toFailure(error: unknown): RunFailure {
  const { data: code } = RunFailureCode.safeParse(error instanceof AppError ? error.code : undefined);
  if (code === undefined || !(error instanceof AppError)) throw error;
  return { code, message: error.message };
}

const lostFailure = (attempts: number): RunFailure => ({
  code: "worker_lost",
  message: workerLostText(attempts, "Run the query again; if that does not help, make it read less."),
});

export const deletedFailure: RunFailure = {
  code: "database_deleted",
  message: "The database was deleted. Choose another database for the query.",
};
