import { AutomationBrief, Visualization } from "@querybell/domain";
import type { MessagePicture } from "@querybell/webhooks";
import { z } from "zod";
import type { Deps } from "../deps.ts";
import { readStoredBytes } from "../results/read-result.ts";
import { type DashboardLook, drawDashboardOfRun } from "./draw-dashboard-of-run.ts";
import type { ToldRun } from "./read-message.ts";

const maxPictures = 3;
/** As wide as a mail. */
const look = { format: "png", width: 600, scheme: "light" } as const;

interface MessageLook {
  chartScale: number;
  dashboard: DashboardLook;
}

/** Of pictures that are sent with a message. A mail is not long. */
const attachedLook: MessageLook = { chartScale: 2, dashboard: { scale: 1, maxHeight: 3_000 } };
/** Of pictures that a place opens by their addresses: Teams shows at most 1024 × 1024 pixels. */
export const linkedLook: MessageLook = { chartScale: 1.5, dashboard: { scale: 0.8, maxHeight: 1_280 } };

/** A chart on a picture, and the policies and roles of its database when its result was computed. */
interface ShownChart {
  referenceId: string;
  rowRightsVersion: number;
}

export interface RunPicture extends MessagePicture {
  /** The charts that it shows. Null if rows of one depend on who looks at them: not everybody may see it. */
  shows: ShownChart[] | null;
}

const StepInput = z.object({ shortId: z.string() });

/**
 * Draws the dashboard or the charts of a run from the results that it kept, in an engine host. Tables have no picture, and there is none once
 * a newer run has replaced the results.
 */
export async function readPictures(
  deps: Pick<Deps, "db" | "engines">,
  { runId, organizationId }: ToldRun,
  { chartScale, dashboard: dashboardLook }: MessageLook = attachedLook,
): Promise<RunPicture[]> {
  const run = await deps.db.prisma.automationRun.findFirst({
    where: { id: runId, organizationId, status: "completed" },
    select: {
      brief: true,
      steps: {
        where: { tool: "run_query", state: "completed", result: { isNot: null } },
        select: {
          id: true,
          input: true,
          result: { select: { cut: true } },
          queryRun: { select: { systemValues: true, rowRightsVersion: true } },
        },
        orderBy: { position: "asc" },
        take: maxPictures,
      },
    },
  });
  if (!run) return [];
  const { references, dashboard } = AutomationBrief.parse(run.brief);
  if (dashboard) {
    const picture = await drawDashboardOfRun(deps, { runId, organizationId, dashboard }, dashboardLook);
    return picture ? [picture] : [];
  }
  const drawn: RunPicture[] = [];
  for (const { id: stepId, input, result, queryRun } of run.steps) {
    const shortId = StepInput.safeParse(input).data?.shortId;
    const named = references.find((reference) => reference.shortId === shortId);
    const chart = named && (await findChart(deps, { id: named.id, organizationId }));
    if (!chart) continue;
    const outcome = await deps.engines.drawPicture({
      organizationId,
      picture: { ...look, scale: chartScale, ...chart },
      result: {
        cut: result?.cut ?? false,
        read: () => readStoredBytes(deps, { table: "automation_results", organizationId, stepId }),
      },
    });
    if (outcome.kind !== "drawn") continue;
    const shows =
      queryRun && queryRun.systemValues === null
        ? [{ referenceId: named.id, rowRightsVersion: queryRun.rowRightsVersion }]
        : null;
    drawn.push({ title: chart.title, png: outcome.bytes, shows });
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
