import { Visualization } from "@querybell/domain";
import { readContent } from "../dashboards/dashboard-rows.ts";
import { type ChartToDraw, drawTabs, momentWriter } from "../dashboards/draw-dashboard.ts";
import type { Deps } from "../deps.ts";
import { readStoredBytes } from "../results/read-result.ts";
import type { RunPicture } from "./read-pictures.ts";

interface LookedAt {
  runId: string;
  organizationId: string;
  dashboard: { id: string; title: string };
}

interface KeptRow {
  stepId: string;
  cut: boolean;
  byteCount: number;
  referenceId: string;
  title: string;
  visualization: unknown;
  snapshotAt: Date | null;
  /** Null if the rows depend on who looks at them, or if that is not known any more. */
  rowRightsVersion: number | null;
}

export interface DashboardLook {
  scale: number;
  /** In pixels of the page. */
  maxHeight: number;
}

const inUtc = momentWriter({ locale: "en-GB", timeZone: "UTC" });

/**
 * Draws the dashboard that a run looked at, from the results that the run kept. It is arranged as it is now. Undefined once a
 * newer run has replaced the results.
 */
export async function drawDashboardOfRun(
  deps: Pick<Deps, "db" | "engines">,
  { runId, organizationId, dashboard }: LookedAt,
  look: DashboardLook,
): Promise<RunPicture | undefined> {
  const kept = new Map((await readKept(deps, runId)).map((row) => [row.referenceId, row]));
  const found = await deps.db.prisma.dashboard.findFirst({
    where: { id: dashboard.id, organizationId },
    select: { content: true },
  });
  if (!found || kept.size === 0) return undefined;
  const moments = [...new Set([...kept.values()].map(({ snapshotAt }) => snapshotAt?.toISOString()))];
  const [moment] = moments;
  const { title } = dashboard;
  const png = await drawTabs(
    deps,
    { organizationId },
    {
      title,
      moment: moment !== undefined && moments.length === 1 ? `As of ${inUtc(moment)}` : "",
      tabs: readContent(found.content).tabs,
      chartOf: ({ referenceId, shows }) => {
        const row = kept.get(referenceId);
        if (!row) return { kind: "empty", title: null, reason: "The run did not look at this chart." };
        const { stepId, cut, byteCount, snapshotAt } = row;
        const pieces = () => readStoredBytes(deps, { table: "automation_results", organizationId, stepId });
        const at = snapshotAt?.toISOString();
        return {
          ...{ kind: "chart", title: row.title },
          notes: [
            ...(at !== undefined && moments.length > 1 ? [`As of ${inUtc(at)}.`] : []),
            ...(cut ? ["The result was cut at a limit."] : []),
          ],
          visualization: shows === "chart" ? (Visualization.safeParse(row.visualization).data ?? null) : null,
          source: { key: stepId, cut, open: async () => ({ byteCount, pieces: pieces() }) },
        } satisfies ChartToDraw;
      },
      look: { scheme: "light", locale: "en", timeZone: "UTC", isCropped: false, ...look },
    },
  );
  const shown = [...kept.values()].map(({ referenceId, rowRightsVersion }) => ({
    referenceId,
    rowRightsVersion,
  }));
  return { title, png, shows: shown.every(isForEverybody) ? shown : null };
}

const isForEverybody = <Chart extends { rowRightsVersion: number | null }>(
  chart: Chart,
): chart is Chart & { rowRightsVersion: number } => chart.rowRightsVersion !== null;

async function readKept({ db }: Pick<Deps, "db">, runId: string): Promise<KeptRow[]> {
  const { rows } = await db.pool.query<KeptRow>({
    name: "read_kept_charts",
    text: `
      SELECT s.id AS "stepId", k.cut, octet_length(k.gzipped_json) AS "byteCount", r.id AS "referenceId", r.title,
        r.visualization, q.snapshot_at AS "snapshotAt",
        CASE WHEN q.system_values IS NULL THEN q.row_rights_version END AS "rowRightsVersion"
      FROM automation_steps looked CROSS JOIN jsonb_array_elements(looked.output) AS chart
        JOIN automation_steps s ON s.id = (chart->>'stepId')::uuid AND s.run_id = looked.run_id
        JOIN automation_results k ON k.step_id = s.id
        JOIN query_references r ON r.id = (chart->>'id')::uuid AND r.organization_id = s.organization_id
        LEFT JOIN query_runs q ON q.id = s.query_run_id
      WHERE looked.run_id = $1 AND looked.name = 'refresh_dashboard' AND looked.state = 'completed' AND r.deleted_at IS NULL`,
    values: [runId],
  });
  return rows;
}
