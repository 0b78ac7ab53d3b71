import { publishAfterCommit } from "@querybell/db";
import { DatabaseLimits, type RunFailure } from "@querybell/domain";
import type { PartOutcome } from "@querybell/engine-hosts";
import { inSpan } from "@querybell/tracing";
import { knownServers } from "../databases/connections.ts";
import { clampLimits } from "../databases/limits.ts";
import type { Deps } from "../deps.ts";
import { keepLease, releaseLease } from "../leases.ts";
import { whenAvailable } from "../when-available.ts";
import { type ClaimedQueryRun, claimFollowers, getQueryOfRun } from "./claim-query-run.ts";
import { cancelledFailure, completeRunIn, failRunIn, writingTimeoutMs } from "./end-run.ts";
import {
  deletedFailure,
  type ExecuteOptions,
  explainCancel,
  findFailureBeforeStart,
  labelOf,
  openOrFailure,
  readStatementOfRun,
  roleFailure,
  wasInterrupted,
  withPosition,
  withRole,
} from "./execution-parts.ts";

type RunOutcome = PartOutcome | { kind: "failed"; failure: RunFailure };

interface EndedGroup {
  /** One for each run, in their order. */
  outcomes: RunOutcome[];
  /** When the snapshot was taken; undefined if it was not. */
  snapshotAt?: Date | undefined;
}

/**
 * Executes the runs of a refresh on one database, which see one snapshot, and records how all of them ended in one
 * transaction: the claimed run and those that it leads.
 */
export async function executeTogether(
  deps: Deps,
  leader: ClaimedQueryRun,
  { signal, onError, onEnd }: ExecuteOptions,
): Promise<void> {
  const lease = { table: "query_runs", id: leader.id, leaseNumber: leader.leaseNumber } as const;
  const kept = keepLease(deps, { ...lease, onError });
  try {
    const runs = [leader, ...(await claimFollowers(deps, leader))];
    const failure = findFailureBeforeStart(leader);
    const group = failure
      ? allFailed(runs, failure)
      : await executeGroup(deps, runs, AbortSignal.any([kept.signal, signal]));
    await kept.stop();
    const isInterrupted = group.outcomes.some(
      (outcome) => outcome.kind === "failed" && wasInterrupted(outcome.failure, signal, kept.signal),
    );
    if (isInterrupted) return await releaseLease(deps, lease);
    const ends = await whenAvailable(async () =>
      recordGroup(deps, runs, await explainCancels(deps, runs, group)),
    );
    for (const end of ends) onEnd?.(end);
  } finally {
    await kept.stop();
  }
}

const allFailed = (runs: readonly unknown[], failure: RunFailure): EndedGroup => ({
  outcomes: runs.map(() => ({ kind: "failed", failure })),
});

async function executeGroup(
  deps: Deps,
  runs: readonly ClaimedQueryRun[],
  signal: AbortSignal,
): Promise<EndedGroup> {
  const [leader] = runs;
  if (!leader) throw new Error("A group has a leader.");
  const query = leader.query ?? (await getQueryOfRun(deps, leader.queryId));
  if (query.database.isDeleted) return allFailed(runs, deletedFailure);
  const opened = openOrFailure(deps, query.organization, query.database);
  if ("code" in opened) return allFailed(runs, opened);
  // All runs are for the same person.
  const database = withRole(opened, query.database, leader.systemValues);
  if (!database) return allFailed(runs, roleFailure);
  const statements = runs.map(readStatementOfRun);
  let snapshotAt: Date | undefined;
  const { engine } = query.database;
  const spanOptions = {
    name: `engine ${engine}`,
    kind: "client",
    attributes: { "db.system.name": engine },
  } as const;
  const outcome = await inSpan(spanOptions, () =>
    deps.engines.runTogether(
      {
        organizationId: query.organizationId,
        database,
        knownServers: knownServers(deps, query),
        statements: statements.map(({ text, values }) => ({ text, values })),
        limits: clampLimits(deps.deployment, DatabaseLimits.parse(query.database.limits)),
        label: labelOf(leader.id),
      },
      {
        signal,
        onSnapshot: () => {
          snapshotAt = deps.clock.now();
        },
        onPart: () => void countDone(deps, leader.refreshId).catch(() => {}),
      },
    ),
  );
  const outcomes = await Promise.all(
    runs.map(async (run, at): Promise<RunOutcome> => {
      const part = outcome.parts[at];
      if (part && part.kind === "completed") return part;
      const failure = part ? part.failure : outcome.kind === "failed" ? outcome.failure : cancelledFailure;
      return { kind: "failed", failure: await locate(deps, run, failure, statements[at]) };
    }),
  );
  // A cancel is for all of them: those that had ended are not shown without the others.
  if (outcome.kind === "failed" && outcome.failure.code === "cancelled")
    return allFailed(runs, outcome.failure);
  return { outcomes, snapshotAt };
}

/** Adds where in the query's text the engine has found the error. */
async function locate(
  deps: Deps,
  { queryId, queryVersion }: ClaimedQueryRun,
  failure: Parameters<typeof withPosition>[0],
  statement: ReturnType<typeof readStatementOfRun> | undefined,
): Promise<RunFailure> {
  const { sql, version } = await getQueryOfRun(deps, queryId);
  return withPosition(failure, statement?.origins ?? [], version === queryVersion ? sql : undefined);
}

/** For the progress of the refresh. */
async function countDone({ db }: Pick<Deps, "db">, refreshId: string | null): Promise<void> {
  await db.pool.query({
    name: "count_done_of_refresh",
    text: "UPDATE dashboard_refreshes SET runs_done = least(runs_done + 1, runs_total) WHERE id = $1",
    values: [refreshId],
  });
}

async function explainCancels(
  deps: Deps,
  runs: readonly ClaimedQueryRun[],
  { outcomes, snapshotAt }: EndedGroup,
): Promise<EndedGroup> {
  const explained = outcomes.map(async (outcome, at): Promise<RunOutcome> => {
    const run = runs[at];
    if (outcome.kind === "completed" || !run) return outcome;
    return { kind: "failed", failure: await explainCancel(deps, run, outcome.failure) };
  });
  return { outcomes: await Promise.all(explained), snapshotAt };
}

/**
 * Ends all runs in one transaction. Nothing is written when the lease of the leader is lost: another worker executes them.
 * Returns how each ended.
 */
async function recordGroup(
  { db, clock }: Deps,
  runs: readonly ClaimedQueryRun[],
  { outcomes, snapshotAt }: EndedGroup,
): Promise<("completed" | RunFailure["code"])[]> {
  const ends = runs
    .flatMap((run, at) => (outcomes[at] ? [{ run, outcome: outcomes[at] }] : []))
    // Transactions that lock several queries do so in the order of their ids.
    .sort((one, other) => (one.run.queryId < other.run.queryId ? -1 : 1));
  const [leader] = runs;
  return db.transaction(
    async (tx) => {
      const ids = runs.map(({ id }) => id);
      await tx.$queryRaw`
        SELECT q.id FROM queries q WHERE q.id = ANY(${runs.map(({ queryId }) => queryId)}::uuid[])
        ORDER BY q.id FOR KEY SHARE`;
      const held = await tx.$queryRaw<{ id: string }[]>`
        SELECT id FROM query_runs
        WHERE id = ANY(${ids}::uuid[]) AND status = 'running' AND lease_number = ${leader?.leaseNumber}
        ORDER BY id FOR NO KEY UPDATE`;
      if (!held.some(({ id }) => id === leader?.id)) return [];
      if (snapshotAt) {
        await tx.$executeRaw`
          UPDATE query_runs SET snapshot_at = ${snapshotAt} WHERE id = ANY(${held.map(({ id }) => id)}::uuid[])`;
      }
      const now = clock.now();
      for (const { run, outcome } of ends) {
        if (outcome.kind === "completed") await completeRunIn(tx, run, { ...outcome, completedAt: now });
        else await failRunIn(tx, run, { failure: outcome.failure, completedAt: now });
      }
      publishAfterCommit(tx, "querybell_run_changed", ids);
      return ends.map(({ outcome }) => (outcome.kind === "completed" ? "completed" : outcome.failure.code));
    },
    { timeoutMs: writingTimeoutMs },
  );
}
