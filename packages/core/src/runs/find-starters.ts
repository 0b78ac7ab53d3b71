import type { Caller, ListedRun } from "@querybell/domain";
import type { Deps } from "../deps.ts";

type StartedBy = ListedRun["startedBy"];

/** Reads who or what started runs. Returns a lookup by `triggerId`. */
export async function findStarters(
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
    ...automationRuns.map(({ id, automation }) => [`automation_run:${id}`, automation.name] as const),
  ]);
  return (triggerId) => ({ kind: kindOf(triggerId), name: found.get(triggerId) ?? null });
}

function kindOf(triggerId: string): StartedBy["kind"] {
  if (triggerId.startsWith("user:")) return "user";
  return triggerId.startsWith("key:") ? "key" : "automation";
}
