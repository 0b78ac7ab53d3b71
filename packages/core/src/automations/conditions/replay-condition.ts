import {
  AppError,
  type Caller,
  type ConditionReplay,
  maxReplayedResults,
  type ReplayCondition,
} from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { type FoundPastResult, readPastJsons } from "../../past-results/read-past-result.ts";
import { referenceNotFound } from "../../references/get-reference.ts";
import { hashValues } from "../../results/get-result.ts";

/** What a host holds in memory at once, as JSON. Older results are left out. */
const maxReplayedBytes = 48 * 1024 ** 2;

interface PastRow extends FoundPastResult {
  completedAt: Date;
  jsonBytes: number;
}

/** Tries a condition that is not saved on the past results of its chart, as if it had judged each of them. */
export async function replayCondition(
  deps: Deps,
  caller: Caller,
  { condition: { shortId, rule }, parameterValues: given }: ReplayCondition,
  signal?: AbortSignal,
): Promise<ConditionReplay> {
  const { organizationId } = caller;
  const reference = await deps.db.prisma.queryReference.findFirst({
    where: { shortId, organizationId, deletedAt: null },
    select: { queryId: true },
  });
  if (!reference?.queryId) throw referenceNotFound();
  const { queryId } = reference;
  const hashes = await hashValues(deps, caller, { id: queryId, shortId, given });
  const { rows: newest } = await deps.db.pool.query<PastRow>({
    name: "list_results_to_replay",
    text: `
      SELECT kept.run_id AS "runId", kept.chain_id AS "chainId", kept.completed_at AS "completedAt",
        kept.json_bytes AS "jsonBytes"
      FROM unnest($3::bytea[]) AS series(hash) CROSS JOIN LATERAL (
        SELECT * FROM past_results
        WHERE query_id = $2 AND parameter_values_hash = series.hash
        ORDER BY completed_at DESC, run_id DESC LIMIT ${maxReplayedResults + 1}) AS kept
      WHERE kept.organization_id = $1
      ORDER BY kept.completed_at DESC, kept.run_id DESC LIMIT ${maxReplayedResults + 1}`,
    values: [organizationId, queryId, hashes],
  });
  let left = maxReplayedBytes;
  const chosen = newest.slice(0, maxReplayedResults).filter(({ jsonBytes }) => {
    left -= jsonBytes;
    return left >= 0;
  });
  const past = openInOrder(deps, caller, chosen.reverse());
  const replay = { rule, times: chosen.map(({ completedAt }) => completedAt.toISOString()) };
  const results = chosen.map(() => ({ cut: false, read: past.readNext }));
  const outcome = await deps.engines
    .replayCondition({ organizationId, replay, results }, signal && { signal })
    .finally(past.close);
  if (outcome.kind === "failed") {
    signal?.throwIfAborted();
    const { code, message } = outcome.failure;
    if (code !== "out_of_memory" && code !== "query_timeout") throw new Error(`Replaying failed: ${message}`);
    throw new AppError("invalid_request", "The past results are too large to try a condition on them.");
  }
  const { points, metPerMonth } = outcome.replayed;
  return {
    points: points.map((point, index) => ({ ...point, at: chosen[index]?.completedAt.toISOString() ?? "" })),
    metPerMonth,
    isCut: chosen.length < newest.length,
  };
}

const pieceBytes = 1024 ** 2;

/** The JSON of one result after the other. */
function openInOrder(deps: Deps, caller: Caller, chosen: readonly PastRow[]) {
  const jsons = readPastJsons(deps, caller, chosen);
  let index = 0;
  return {
    async *readNext(): AsyncGenerator<Uint8Array> {
      const wanted = chosen[index++]?.runId;
      const { value } = await jsons.next();
      if (!value || value.runId !== wanted) {
        throw new AppError("unavailable", "The past results have just changed. Try again.");
      }
      for (let from = 0; from < value.json.length; from += pieceBytes) {
        yield value.json.subarray(from, from + pieceBytes);
      }
    },
    close: async () => {
      await jsons.return(undefined);
    },
  };
}
