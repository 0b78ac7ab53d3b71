import type { Caller, ListedRun, ListRuns, Page } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { type Keyset, type Measured, readByteLimitedPage, startKey } from "../paging/live-page.ts";
import { toRunDetail } from "./get-run.ts";
import { triggerOfAutomationRun } from "./start-run.ts";

/** Lists the runs of one query or of all, newest first, without trials. */
export async function listRuns(
  deps: Deps,
  { organizationId }: Caller,
  { queryId, limit, cursor }: ListRuns,
): Promise<Page<ListedRun>> {
  const filter = queryId === undefined ? "" : `queryId=${queryId}`;
  const { items, ...rest } = await readByteLimitedPage(
    deps,
    { list: "runs", organizationId, filter, limit, cursor },
    {
      measure: (keyset) => measureRuns(deps, { organizationId, queryId }, keyset),
      read: (ids) => deps.db.prisma.queryRun.findMany({ where: { id: { in: ids } } }),
    },
  );
  const startedBy = await findStarters(
    deps,
    { organizationId },
    items.map(({ triggerId }) => triggerId),
  );
  return {
    items: items.map((row) => ({ ...toRunDetail(row), startedBy: startedBy(row.triggerId) })),
    ...rest,
  };
}

// The rendered SQL contains all values, so SQL and values together have at most about twice its size.
const measured = (ofQuery: string) => `
  SELECT id, created_at AS "createdAt", 2 * octet_length(rendered_sql) AS bytes FROM query_runs
  WHERE organization_id = $1 AND trial_by IS NULL ${ofQuery} AND (created_at, id) < ($2::timestamptz, $3::uuid)
  ORDER BY created_at DESC, id DESC LIMIT $4`;
const ofAll = measured("");
const ofOne = measured("AND query_id = $5");

async function measureRuns(
  { db }: Pick<Deps, "db">,
  { organizationId, queryId }: { organizationId: string; queryId: string | undefined },
  { after, take }: Keyset,
): Promise<Measured[]> {
  const { createdAt, id } = after ?? startKey;
  const values = [organizationId, createdAt, id, take];
  const { rows } = await db.pool.query<Measured>(
    queryId === undefined
      ? { name: "measure_runs", text: ofAll, values }
      : { name: "measure_runs_of_query", text: ofOne, values: [...values, queryId] },
  );
  return rows;
}

type StartedBy = ListedRun["startedBy"];

/** Reads who or what started runs. Returns a lookup by `triggerId`. */
async function findStarters(
  { db }: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
  triggerIds: string[],
): Promise<(triggerId: string) => StartedBy> {
  const idsOf = (kind: string) => [
    ...new Set(triggerIds.flatMap((id) => (id.startsWith(`${kind}:`) ? [id.slice(kind.length + 1)] : []))),
  ];
  const named = { id: true, name: true } as const;
  const [users, keys, automationRuns] = await Promise.all([
    db.prisma.user.findMany({ where: { id: { in: idsOf("user") } }, select: named }),
    db.prisma.apiKey.findMany({ where: { organizationId, id: { in: idsOf("key") } }, select: named }),
    db.prisma.automationRun.findMany({
      where: { organizationId, id: { in: idsOf("automation_run") } },
      select: { id: true, automation: { select: { name: true } } },
    }),
  ]);
  const found = new Map<string, string>([
    ...users.map(({ id, name }) => [`user:${id}`, name] as const),
    ...keys.map(({ id, name }) => [`key:${id}`, name] as const),
    ...automationRuns.map(({ id, automation }) => [triggerOfAutomationRun(id), automation.name] as const),
  ]);
  return (triggerId) => ({ kind: kindOf(triggerId), name: found.get(triggerId) ?? null });
}

function kindOf(triggerId: string): StartedBy["kind"] {
  if (triggerId.startsWith("user:")) return "user";
  return triggerId.startsWith("key:") ? "key" : "automation";
}
