import type { Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type InputError,
  type NamedWebhookFilter,
  StoredWebhookFilter,
  type WebhookEventType,
  type WebhookFilter,
} from "@querybell/domain";
import { hasEventField } from "@querybell/domain/webhook-event-catalogue";

export const StoredFilter = StoredWebhookFilter.nullable();

interface FilterToCheck {
  eventTypes: readonly WebhookEventType[];
  filter: WebhookFilter | null;
  /** As it is stored. What was deleted since may stay in a filter. */
  before: WebhookFilter | null;
}

/** Throws if a filter names what the organization does not have, or what no event of these types has. */
export async function checkFilter(
  tx: Tx,
  { organizationId }: Pick<Caller, "organizationId">,
  { eventTypes, filter, before }: FilterToCheck,
): Promise<void> {
  if (!filter) return;
  const { automationIds, folderIds, conditions } = filter;
  const problems: InputError[] = [];
  if (automationIds.length + folderIds.length > 0 && eventTypes.includes("audit.entry.created")) {
    problems.push({
      path: "eventTypes",
      message: "must not have audit.entry.created with a filter by automation or folder: it is about none",
    });
  }
  for (const [index, { field }] of conditions.entries()) {
    if (eventTypes.some((type) => hasEventField(type, field))) continue;
    const message = "must be a field of an event that the endpoint asks for";
    problems.push({ path: `filter.conditions.${index}.field`, message });
  }
  const names = await readNames(tx, organizationId, [filter]);
  for (const [list, what] of idLists) {
    for (const [index, id] of filter[list].entries()) {
      if (names[list].has(id) || before?.[list].includes(id)) continue;
      problems.push({ path: `filter.${list}.${index}`, message: `must be ${what} of this organization` });
    }
  }
  const [first] = problems;
  if (first) throw new AppError("invalid_request", `${first.path} ${first.message}.`, { errors: problems });
}

const idLists = [
  ["automationIds", "an automation"],
  ["folderIds", "a folder"],
] as const;

type Names = Record<(typeof idLists)[number][0], ReadonlyMap<string, string>>;

/** The names of what filters name, if the organization has it. Nothing is read for endpoints without a filter. */
async function readNames(
  tx: Tx,
  organizationId: string,
  filters: readonly (WebhookFilter | null)[],
): Promise<Names> {
  const automationIds = filters.flatMap((filter) => filter?.automationIds ?? []);
  const folderIds = filters.flatMap((filter) => filter?.folderIds ?? []);
  const select = { id: true, name: true };
  const ofAutomations = { id: { in: automationIds }, organizationId, deletedAt: null };
  const automations =
    automationIds.length > 0 ? await tx.automation.findMany({ where: ofAutomations, select }) : [];
  const ofFolders = { id: { in: folderIds }, organizationId };
  const folders = folderIds.length > 0 ? await tx.folder.findMany({ where: ofFolders, select }) : [];
  const toMap = (rows: readonly { id: string; name: string }[]) =>
    new Map(rows.map(({ id, name }) => [id, name]));
  return { automationIds: toMap(automations), folderIds: toMap(folders) };
}

/** Reads the names in the filters of endpoints. Returns a function that adds them to one. */
export async function readFilterNames(
  tx: Tx,
  organizationId: string,
  filters: readonly (WebhookFilter | null)[],
): Promise<(filter: WebhookFilter | null) => NamedWebhookFilter | null> {
  const names = await readNames(tx, organizationId, filters);
  const named = (list: keyof Names) => (id: string) => ({ id, name: names[list].get(id) ?? null });
  return (filter) =>
    filter && {
      automations: filter.automationIds.map(named("automationIds")),
      folders: filter.folderIds.map(named("folderIds")),
      conditions: filter.conditions,
    };
}

/** What the audit log says of a filter. Values are left out: they can be names of people. */
export const describeFilter = (filter: WebhookFilter | null): string[] =>
  filter
    ? [
        ...filter.automationIds.map((id) => `automation ${id}`),
        ...filter.folderIds.map((id) => `folder ${id}`),
        ...filter.conditions.map(({ field, operator }) => `${field} ${operator}`),
      ]
    : [];
