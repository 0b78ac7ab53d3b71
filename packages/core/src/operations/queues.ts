import { maxListedOrganizations, type Queue } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { readQueueState } from "../jobs.ts";

type Kind = Exclude<Queue["kind"], "jobs">;

interface OrganizationQueue {
  kind: Kind;
  slug: string;
  name: string;
  waiting: number;
  running: number;
  oldestAt: Date | null;
}

/** What waits and runs, by kind and organization: only organizations of which something does. */
export async function readOrganizationQueues({ db }: Pick<Deps, "db">): Promise<OrganizationQueue[]> {
  const { rows } = await db.pool.query<OrganizationQueue>({
    name: "read_organization_queues",
    text: `
      WITH unfinished AS (
        SELECT 'query_runs' AS kind, organization_id, count(*) FILTER (WHERE status = 'pending') AS waiting,
          count(*) FILTER (WHERE status = 'running') AS running, min(created_at) FILTER (WHERE status = 'pending') AS oldest
        FROM query_runs WHERE status IN ('pending', 'running') GROUP BY organization_id
        UNION ALL
        SELECT 'automation_runs', organization_id, count(*) FILTER (WHERE status = 'pending'),
          count(*) FILTER (WHERE status = 'running'), min(ready_at) FILTER (WHERE status = 'pending')
        FROM automation_runs WHERE status IN ('pending', 'running') AND ready_at IS NOT NULL AND agent <> 'external'
        GROUP BY organization_id
        UNION ALL
        SELECT 'deliveries', e.organization_id, sum(d.due), 0, min(d.oldest)
        FROM (
          SELECT endpoint_id, count(*) AS due, min(next_attempt_at) AS oldest FROM webhook_deliveries
          WHERE state = 'pending' AND next_attempt_at <= querybell_now() GROUP BY endpoint_id
        ) d JOIN webhook_endpoints e ON e.id = d.endpoint_id GROUP BY e.organization_id
      )
      SELECT u.kind, o.slug, o.name, u.waiting::int, u.running::int, u.oldest AS "oldestAt"
      FROM unfinished u JOIN organizations o ON o.id = u.organization_id
      ORDER BY u.oldest NULLS LAST, u.running DESC, o.slug`,
  });
  return rows;
}

const kinds: readonly Kind[] = ["query_runs", "automation_runs", "deliveries"];

export async function readQueues(
  deps: Pick<Deps, "db" | "clock">,
): Promise<{ queues: Queue[]; failedJobs: number }> {
  const [byOrganization, jobs] = await Promise.all([readOrganizationQueues(deps), readQueueState(deps)]);
  const queues = kinds.map((kind): Queue => {
    const its = byOrganization.filter((one) => one.kind === kind);
    const sum = (field: "waiting" | "running") => its.reduce((total, one) => total + one[field], 0);
    return {
      kind,
      waiting: sum("waiting"),
      running: kind === "deliveries" ? null : sum("running"),
      oldestAt: its[0]?.oldestAt?.toISOString() ?? null,
      organizations: its
        .slice(0, maxListedOrganizations)
        .map(({ slug, name, waiting, running, oldestAt }) => ({
          ...{ slug, name, waiting, running },
          oldestAt: oldestAt?.toISOString() ?? null,
        })),
    };
  });
  const oldestMs = deps.clock.now().getTime() - Math.max(0, jobs.oldestDueSeconds) * 1000;
  const oldestAt = jobs.due === 0 ? null : new Date(oldestMs).toISOString();
  queues.push({ kind: "jobs", waiting: jobs.due, running: jobs.running, oldestAt, organizations: [] });
  return { queues, failedJobs: jobs.failed };
}
