import { AutomationBrief, Visualization } from "@querybell/domain";
import type { MessagePicture } from "@querybell/webhooks";
import { z } from "zod";
import type { Deps } from "../deps.ts";
import { readStoredBytes } from "../results/read-result.ts";
import { drawDashboardOfRun } from "./draw-dashboard-of-run.ts";

const maxPictures = 3;
/** As wide as a mail. */
const look = { format: "png", width: 600, scale: 2, scheme: "light" } as const;

const StepInput = z.object({ shortId: z.string() });

/**
 * Draws the dashboard or the charts of a run from the results that it kept, in an engine host. Tables have no picture, and there is none once
 * a newer run has replaced the results.
 */
export async function readPictures(
  deps: Pick<Deps, "db" | "engines">,
  { runId, organizationId }: { runId: string; organizationId: string },
): Promise<MessagePicture[]> {
  const run = await deps.db.prisma.automationRun.findFirst({
    where: { id: runId, organizationId, status: "completed" },
    select: {
      brief: true,
      steps: {
        where: { tool: "run_query", state: "completed", result: { isNot: null } },
        select: { id: true, input: true, result: { select: { cut: true } } },
        orderBy: { position: "asc" },
        take: maxPictures,
      },
    },
  });
  if (!run) return [];
  const { references, dashboard } = AutomationBrief.parse(run.brief);
  if (dashboard) {
    const picture = await drawDashboardOfRun(deps, { runId, organizationId, dashboard });
    return picture ? [picture] : [];
  }
  const drawn: MessagePicture[] = [];
  for (const { id: stepId, input, result } of run.steps) {
    const shortId = StepInput.safeParse(input).data?.shortId;
    const named = references.find((reference) => reference.shortId === shortId);
    const chart = named && (await findChart(deps, { id: named.id, organizationId }));
    if (!chart) continue;
    const outcome = await deps.engines.drawPicture({
      organizationId,
      picture: { ...look, ...chart },
      result: {
        cut: result?.cut ?? false,
        read: () => readStoredBytes(deps, { table: "automation_results", organizationId, stepId }),
      },
    });
    if (outcome.kind === "drawn") drawn.push({ title: chart.title, png: outcome.bytes });
  }
  return drawn;
}

/** The title and look of a chart; undefined if it is a table or deleted. */
async function findChart(
  { db }: Pick<Deps, "db">,
  where: { id: string; organizationId: string },
): Promise<{ title: string; visualization: Visualization } | undefined> {
  const row = await db.prisma.queryReference.findFirst({
    where: { ...where, deletedAt: null },
    select: { title: true, visualization: true },
  });
  const { data } = Visualization.safeParse(row?.visualization);
  return row && data && data.type !== "table" ? { title: row.title, visualization: data } : undefined;
}
