import type { Tx } from "@querybell/db";
import {
  AppError,
  type AutomationAgent,
  type AutomationCondition,
  type Caller,
  isAboutChanges,
  leavesOf,
  type ParameterValues,
} from "@querybell/domain";
import type { StoredResult } from "@querybell/engine-hosts";
import type { Deps } from "../../deps.ts";
import { findResult } from "../../results/get-result.ts";
import { readStoredBytes } from "../../results/read-result.ts";

interface ToCheck {
  condition: AutomationCondition;
  agent: AutomationAgent;
  references: readonly { shortId: string }[];
}

/** Throws if the automation cannot have this condition. */
export function checkCondition({ condition, agent, references }: ToCheck): void {
  if (agent === "external") {
    throw refuse("condition", "must be none for an external agent, which decides itself when it speaks");
  }
  const charts = new Set(references.map(({ shortId }) => shortId));
  if (!charts.has(condition.shortId)) {
    throw refuse("condition.shortId", "must be one of the automation's charts");
  }
  for (const leaf of leavesOf(condition.rule.condition)) {
    const to = "is" in leaf ? leaf.is.to : undefined;
    if (to?.kind === "chart" && !charts.has(to.shortId)) {
      throw refuse(
        "condition.rule.condition",
        "must compare with a chart of the automation, so that both are of one run. Add the chart to it",
      );
    }
  }
}

const refuse = (path: string, message: string): AppError =>
  new AppError("invalid_request", `The condition ${message}.`, { errors: [{ path, message }] });

type Chosen = { shortId: string; parameterValues: ParameterValues };

/**
 * Throws if rows of the chart's present result cannot be told apart by the columns that a condition names. Without a
 * present result nothing can be said: then the condition has no data until they can.
 */
export async function checkKeys(
  deps: Deps,
  caller: Caller,
  { condition, references }: { condition: AutomationCondition; references: readonly Chosen[] },
): Promise<void> {
  if (!isAboutChanges(condition.rule.condition)) return;
  const chosen = references.find(({ shortId }) => shortId === condition.shortId);
  const result = chosen && (await findPresentResult(deps, caller, chosen));
  if (!result) return;
  const outcome = await deps.engines.judgeRun({
    organizationId: caller.organizationId,
    judging: {
      rule: condition.rule,
      isDue: false,
      before: null,
      now: deps.clock.now().toISOString(),
      inputs: [{ kind: "result", shortId: condition.shortId, cut: result.cut }],
      past: {},
    },
    results: [result],
  });
  const problem = outcome.kind === "judged" ? outcome.judged.keyProblem : null;
  if (problem === null) return;
  throw new AppError("invalid_request", problem, {
    errors: [{ path: "condition.rule.condition", message: problem }],
  });
}

async function findPresentResult(
  deps: Deps,
  caller: Caller,
  { shortId, parameterValues }: Chosen,
): Promise<StoredResult | undefined> {
  const { organizationId } = caller;
  const reference = await deps.db.prisma.queryReference.findFirst({
    where: { shortId, organizationId, deletedAt: null },
    select: { queryId: true },
  });
  if (!reference?.queryId) return undefined;
  const found = await findResult(deps, caller, { id: reference.queryId, shortId, parameterValues });
  if (found.kind === "missing") return undefined;
  const { runId, cutBy } = found.result;
  return {
    cut: cutBy !== null,
    read: () => readStoredBytes(deps, { table: "query_results", organizationId, runId }),
  };
}

/** Starts what is remembered of a condition that was saved, instead of what was remembered of the one before. */
export async function resetConditionState(
  tx: Tx,
  {
    organizationId,
    automationId,
    conditionId,
  }: Record<"organizationId" | "automationId", string> & {
    conditionId: string | null;
  },
): Promise<void> {
  await tx.automationConditionState.deleteMany({ where: { automationId } });
  if (conditionId === null) return;
  await tx.automationConditionState.create({ data: { conditionId, automationId, organizationId } });
}
