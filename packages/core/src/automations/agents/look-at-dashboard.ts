import { onPool, withRights } from "@querybell/db";
import {
  AppError,
  AutomationFailure,
  type DashboardRefresh,
  ParameterType,
  type RunDetail,
  StoredParameterValues,
} from "@querybell/domain";
import { z } from "zod";
import { findActingMember } from "../../access/find-acting-member.ts";
import { readRights } from "../../access/rights-cache.ts";
import {
  type AppliedFilters,
  applyFilters,
  asListIfWanted,
  valuesFor,
} from "../../dashboards/dashboard-filters.ts";
import { readContent, referencesOf } from "../../dashboards/dashboard-rows.ts";
import { startRefresh } from "../../dashboards/refresh-dashboard.ts";
import { writeStepIn } from "../runs/write-step.ts";
import type { ToolOutcome } from "./agent.ts";
import type { ClaimedAutomationRun } from "./execute-automation-run.ts";
import { ownerOf } from "./tools/run-reference.ts";
import { waitForEnd } from "./tools/run-step-query.ts";
import { copyResult, previewResult } from "./tools/step-results.ts";
import {
  findEndedStep,
  type ToolWork,
  toAutomationFailure,
  toFailed,
  tooLargeFailure,
  toQueryStepName,
  toStepWrite,
  writeCall,
} from "./tools/tool-call.ts";

type Brief = ClaimedAutomationRun["brief"];
type LookedAt = NonNullable<Brief["dashboard"]>;

/** A chart with the values that filters of the dashboard gave it. */
const LookedAtChart = z.object({
  id: z.string(),
  shortId: z.string(),
  title: z.string(),
  parameterValues: StoredParameterValues,
});
type LookedAtChart = z.infer<typeof LookedAtChart>;

/** The charts whose results a run has kept, each with the step that has its result. */
const KeptCharts = z.array(LookedAtChart.extend({ stepId: z.string() }));
type KeptCharts = z.infer<typeof KeptCharts>;

const stepName = "refresh_dashboard";
/** How often a refresh may be cancelled, or replaced by a newer one before its results are kept. */
const maxTries = 5;

/**
 * Refreshes the dashboard that an automation looks at, with the rights of its owner, and keeps the results of all its charts
 * in one transaction, so that they are of one moment. Each is a step, as if the agent had run it. Returns the run with these
 * charts among its references: an agent needs to know nothing else.
 */
export async function lookAtDashboard(work: ToolWork): Promise<ToolOutcome<ClaimedAutomationRun>> {
  const { run } = work;
  const { dashboard } = run.brief;
  if (!dashboard) return { kind: "answered", answer: run };
  const kept = await keepCharts(work, dashboard);
  if (kept.kind === "failed") return kept;
  const { references } = run.brief;
  const named = new Set(references.map(toQueryStepName));
  const charts = kept.answer
    .filter((chart) => !named.has(toQueryStepName(chart)))
    .map(({ stepId: _, ...chart }) => chart);
  return {
    kind: "answered",
    answer: { ...run, brief: { ...run.brief, references: [...references, ...charts] } },
  };
}

async function keepCharts(work: ToolWork, dashboard: LookedAt): Promise<ToolOutcome<KeptCharts>> {
  const ended = await findEndedStep(work, stepName);
  if (ended?.state === "completed") return { kind: "answered", answer: KeptCharts.parse(ended.output) };
  if (ended) return toFailed(AutomationFailure.parse(ended.output));
  const call = toCall(dashboard);
  const fail = async (failure: AutomationFailure) => {
    await writeCall(work, call, { state: "failed", text: failure.reason, output: failure });
    return toFailed(failure);
  };
  await writeCall(work, call, { state: "running", text: dashboard.title });
  for (let tries = 0; tries < maxTries; tries++) {
    const refresh = await refreshAsOwner(work, dashboard);
    if ("code" in refresh) return fail(refresh);
    const runs = await readRuns(work, { refreshId: refresh.id, dashboardId: dashboard.id });
    if (!runs) continue;
    const ends: RunDetail[] = [];
    for (const { runId } of runs) ends.push(await waitForEnd(work, runId));
    const failed = ends.find(({ failure }) => failure && failure.code !== "cancelled");
    if (failed) {
      const title = runs.find(({ runId }) => runId === failed.id)?.charts[0]?.title;
      const reason = `"${title}" could not be run: ${failed.failure?.message}`;
      return fail({ code: "query_failed", reason });
    }
    if (ends.some(({ status }) => status === "failed")) continue;
    const kept = await keepResults(work, { dashboard, runs });
    if (kept.kind === "kept") return { kind: "answered", answer: kept.charts };
    if (kept.kind === "too large") return fail(tooLargeFailure(kept.title));
  }
  return fail({
    code: "query_failed",
    reason: `The refresh of "${dashboard.title}" was cancelled or replaced ${maxTries} times. Trigger the automation again.`,
  });
}

const toCall = ({ id }: LookedAt) => ({ name: stepName, tool: stepName, input: { dashboardId: id } });

/** Starts a refresh, or joins the unfinished one of the same person. */
async function refreshAsOwner(
  { deps, run }: ToolWork,
  { id, title }: LookedAt,
): Promise<DashboardRefresh | AutomationFailure> {
  const caller = await findActingMember(deps, ownerOf(run));
  if (!caller) return { code: "agent_failed", reason: ownerHasLeft };
  try {
    const rights = await readRights(onPool(deps.db), caller);
    const refresh = await withRights(rights, () => startRefresh(deps, caller, { id }));
    if (!refresh) throw new Error("Only a refresh by schedule can be unwanted.");
    return refresh;
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found")
      return { code: "reference_deleted", reason: notSeen(title) };
    return toAutomationFailure(error);
  }
}

const ownerHasLeft =
  "The person who last changed this automation is not a member any more, or only a viewer. Let a member save it.";
const notSeen = (title: string) =>
  `The dashboard "${title}" was deleted, or the person who last changed this automation may not see it. Choose another, or let somebody who sees it save the automation.`;

interface RefreshedRun {
  runId: string;
  charts: LookedAtChart[];
}

/**
 * The runs of a refresh, each with the charts that show its result, in the order of the dashboard. Undefined if somebody has
 * changed the filters since: which values they gave is not known any more.
 */
async function readRuns(
  { deps, run }: ToolWork,
  { refreshId, dashboardId }: { refreshId: string; dashboardId: string },
): Promise<RefreshedRun[] | undefined> {
  const rows = await deps.db.prisma.dashboardRefreshChart.findMany({
    where: { refreshId, organizationId: run.organizationId },
    select: {
      runId: true,
      reference: { select: { id: true, shortId: true, title: true } },
      run: { select: { parameterTypes: true } },
      refresh: { select: { filterValuesHash: true } },
    },
  });
  const found = await deps.db.prisma.dashboard.findFirstOrThrow({
    where: { id: dashboardId, organizationId: run.organizationId },
    select: { content: true },
  });
  const content = readContent(found.content);
  const filters = applyFilters(content, {}, deps.clock);
  if (rows.some(({ refresh }) => !filters.hash.equals(refresh.filterValuesHash))) return undefined;
  const order = referencesOf(content);
  const placeOf = ({ reference }: (typeof rows)[number]) => order.indexOf(reference.id);
  const runs = new Map<string, RefreshedRun>();
  for (const row of rows.toSorted((one, other) => placeOf(one) - placeOf(other))) {
    const { runId, reference } = row;
    const known = runs.get(runId) ?? { runId, charts: [] };
    const types = Types.parse(row.run.parameterTypes);
    known.charts.push({ ...reference, parameterValues: valuesOf(filters, reference.id, types) });
    runs.set(runId, known);
  }
  return [...runs.values()];
}

const Types = z.record(z.string(), ParameterType);

/** The values that filters gave a chart whose placeholders have these types. A relative date stays one, so that runs compare. */
function valuesOf(
  filters: AppliedFilters,
  referenceId: string,
  types: z.infer<typeof Types>,
): LookedAtChart["parameterValues"] {
  const given = valuesFor(filters, { referenceId, placeholders: Object.keys(types) });
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, asListIfWanted(value, types[name] ?? "string")]),
  );
}

type Kept =
  | { kind: "kept"; charts: KeptCharts }
  | { kind: "replaced" }
  | { kind: "too large"; title: string };

/** Copies the results of all charts in one transaction. Replaced: a newer refresh has stored others meanwhile. */
async function keepResults(
  work: ToolWork,
  { dashboard, runs }: { dashboard: LookedAt; runs: readonly RefreshedRun[] },
): Promise<Kept> {
  const { deps, run } = work;
  const previews = new Map<string, Awaited<ReturnType<typeof previewResult>>>();
  for (const { runId, charts } of runs) {
    const preview = await previewResult(work, { runId });
    if (preview.kind === "too large") return { kind: "too large", title: charts[0]?.title ?? "" };
    if (preview.kind === "gone") return { kind: "replaced" };
    previews.set(runId, preview);
  }
  return deps.db.transaction(async (tx): Promise<Kept> => {
    // Locked, so that no newer result replaces one of them before all are copied.
    const locked = await tx.$queryRaw<unknown[]>`
      SELECT 1 FROM query_results WHERE run_id = ANY(${runs.map(({ runId }) => runId)}::uuid[])
      ORDER BY run_id FOR SHARE`;
    if (locked.length < runs.length) return { kind: "replaced" };
    const kept: KeptCharts = [];
    for (const { runId, charts } of runs) {
      const preview = previews.get(runId);
      if (preview?.kind !== "computed") continue;
      for (const chart of charts) {
        const { shortId, title, parameterValues } = chart;
        const input = { shortId, parameterValues };
        const call = { name: toQueryStepName(input), tool: "run_query", input };
        const ended = {
          state: "completed",
          text: title,
          output: preview.preview,
          queryRunId: runId,
        } as const;
        const step = await writeStepIn({ ...deps, tx }, run, toStepWrite(call, ended));
        await copyResult(tx, { run, stepId: step.id, queryRunId: runId });
        kept.push({ ...chart, stepId: step.id });
      }
    }
    const ended = { state: "completed", text: dashboard.title, output: kept } as const;
    await writeStepIn({ ...deps, tx }, run, toStepWrite(toCall(dashboard), ended));
    return { kind: "kept", charts: kept };
  });
}
