import type { AutomationOverview } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { type AutomationRow, toAutomation } from "./automation-row.ts";
import { toAutomationRuns } from "./runs/automation-run-row.ts";

interface Latest {
  automationId: string;
  latestId: string;
  endedId: string | null;
}

/** Reads the latest runs of these automations in two statements. Returns a function that adds them to a row. */
export async function readLatestRuns(
  deps: Pick<Deps, "db" | "deployment">,
  automations: AutomationRow[],
): Promise<(row: AutomationRow) => AutomationOverview> {
  const latest = await findLatest(
    deps,
    automations.map(({ id }) => id),
  );
  const ids = [...latest.values()].flatMap(({ latestId, endedId }) => [latestId, endedId ?? latestId]);
  const runs = await deps.db.prisma.automationRun.findMany({
    where: { id: { in: ids } },
    omit: { brief: true },
  });
  const found = new Map((await toAutomationRuns(deps, runs)).map((run) => [run.id, run]));
  return (row) => {
    const { latestId = "", endedId } = latest.get(row.id) ?? {};
    return {
      ...toAutomation(row),
      latestRun: found.get(latestId) ?? null,
      latestEndedRun: found.get(endedId ?? "") ?? null,
    };
  };
}

async function findLatest({ db }: Pick<Deps, "db">, ids: string[]): Promise<Map<string, Latest>> {
  const { rows } = await db.pool.query<Latest>({
    name: "find_latest_automation_runs",
    text: `
      SELECT automation.id AS "automationId", latest.id AS "latestId", ended.id AS "endedId"
      FROM unnest($1::uuid[]) AS automation(id)
        CROSS JOIN LATERAL (
          SELECT id FROM automation_runs WHERE automation_id = automation.id
          ORDER BY created_at DESC, id DESC LIMIT 1) AS latest
        LEFT JOIN LATERAL (
          SELECT id FROM automation_runs WHERE automation_id = automation.id AND status IN ('completed', 'failed')
          ORDER BY created_at DESC, id DESC LIMIT 1) AS ended ON true`,
    values: [ids],
  });
  return new Map(rows.map((row) => [row.automationId, row]));
}
