import type { AutomationStep } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import type { Measured } from "../../paging/live-page.ts";
import { toStep } from "./step-row.ts";

interface StepRange {
  runId: string;
  /** The last step before the range. Undefined for a range that starts at the first step. */
  after: { id: string } | undefined;
  take: number;
  /** Only steps whose revision is greater than `after` and at most `upTo`. */
  changedIn?: { after: number; upTo: number };
}

/** Lists the steps of a range with their sizes, oldest first. Without content: a transcript can have 50 MB. */
export async function measureSteps(
  { db }: Pick<Deps, "db">,
  { runId, after, take, changedIn }: StepRange,
): Promise<Measured[]> {
  const { rows } = await db.pool.query<Measured>({
    name: "measure_automation_steps",
    text: `
      SELECT id, created_at AS "createdAt", octet_length(text) + coalesce(octet_length(input::text), 0)
        + coalesce(octet_length(output::text), 0) AS bytes
      FROM automation_steps
      WHERE run_id = $1 AND position > coalesce((SELECT position FROM automation_steps WHERE id = $2), 0)
        AND revision > coalesce($4, 0) AND ($5::int IS NULL OR revision <= $5)
      ORDER BY position LIMIT $3`,
    values: [runId, after?.id ?? null, take, changedIn?.after ?? null, changedIn?.upTo ?? null],
  });
  return rows;
}

export async function readSteps({ db }: Pick<Deps, "db">, ids: string[]): Promise<AutomationStep[]> {
  const rows = await db.prisma.automationStep.findMany({
    where: { id: { in: ids } },
    orderBy: { position: "asc" },
  });
  return rows.map(toStep);
}
