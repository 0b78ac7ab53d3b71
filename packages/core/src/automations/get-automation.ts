import type { Prisma, Tx } from "@querybell/db";
import {
  AppError,
  Automation,
  type AutomationId,
  type AutomationOverview,
  type Caller,
  DestinationEvent,
  type ListAutomations,
  type ModelBudget,
  type Page,
  type SearchText,
  StoredAutomationCondition,
  StoredParameterValues,
  StoredRecipients,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { destinationChoice, toDestinationChoice } from "../destinations/get-destination.ts";
import { lockRow } from "../lock-row.ts";
import { type Keyset, type Measured, readByteLimitedPage, startKey } from "../paging/live-page.ts";
import { search } from "../search.ts";
import { type ConditionStateRow, toShownState } from "./conditions/condition-state.ts";
import { toAutomationRuns } from "./runs/get-automation-run.ts";

type Scope = Pick<Caller, "organizationId">;

export async function getAutomation(
  deps: Deps,
  caller: Caller,
  { id }: AutomationId,
): Promise<AutomationOverview> {
  const row = await getAutomationRow(deps.db.prisma, caller, id);
  const toOverview = await readLatestRuns(deps, [row]);
  return toOverview(row);
}

/** Gets the automation and locks it: no other transaction starts or ends one of its runs until this one ends. */
export async function lockAutomation(tx: Tx, scope: Scope, id: string): Promise<AutomationRow> {
  await lockRow(tx, { table: "automations", key: { id }, organizationId: scope.organizationId });
  return getAutomationRow(tx, scope, id);
}

export async function getAutomationRow(
  tx: Pick<Tx, "automation">,
  { organizationId }: Scope,
  id: string,
): Promise<AutomationRow> {
  const row = await tx.automation.findFirst({
    where: { id, organizationId, deletedAt: null },
    include: withContent,
  });
  if (!row) throw automationNotFound();
  return row;
}

export const automationNotFound = () =>
  new AppError("not_found", "There is no such automation in this organization.");

export async function listAutomations(
  deps: Deps,
  { organizationId }: Caller,
  { limit, cursor }: ListAutomations,
): Promise<Page<AutomationOverview>> {
  const { items, ...rest } = await readByteLimitedPage(
    deps,
    { list: "automations", organizationId, filter: "", limit, cursor },
    {
      measure: (keyset) => measureAutomations(deps, organizationId, keyset),
      read: (ids) => deps.db.prisma.automation.findMany({ where: { id: { in: ids } }, include: withContent }),
    },
  );
  const toOverview = await readLatestRuns(deps, items);
  return { items: items.map(toOverview), ...rest };
}

/** The automations that match some words, the best first. */
export async function findAutomations(
  deps: Deps,
  caller: Caller,
  { text, limit }: Pick<SearchText, "text" | "limit">,
): Promise<AutomationOverview[]> {
  const { items } = await search(deps, caller, { text, limit, kinds: ["automation"] });
  const ids = items.map(({ id }) => id);
  const { organizationId } = caller;
  const rows = await deps.db.prisma.automation.findMany({
    where: { id: { in: ids }, organizationId, deletedAt: null },
    include: withContent,
  });
  const toOverview = await readLatestRuns(deps, rows);
  return rows.toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id)).map(toOverview);
}

async function measureAutomations(
  { db }: Pick<Deps, "db">,
  organizationId: string,
  { after, take }: Keyset,
): Promise<Measured[]> {
  const { createdAt, id } = after ?? startKey;
  const { rows } = await db.pool.query<Measured>({
    name: "measure_automations",
    text: `
      SELECT id, created_at AS "createdAt", octet_length(instruction) + coalesce((
        SELECT sum(octet_length(parameter_values::text)) FROM automation_references
        WHERE automation_id = automations.id), 0)::int + coalesce(octet_length(condition::text), 0)
          + coalesce(octet_length(recipients::text), 0) AS bytes
      FROM automations
      WHERE organization_id = $1 AND deleted_at IS NULL AND (created_at, id) < ($2::timestamptz, $3::uuid)
      ORDER BY created_at DESC, id DESC LIMIT $4`,
    values: [organizationId, createdAt, id, take],
  });
  return rows;
}

interface Latest extends ConditionStateRow {
  automationId: string;
  /** Null before the first run. */
  latestId: string | null;
  endedId: string | null;
}

/** Reads the latest runs and the states of these automations in two statements. Returns a function that adds them to a row. */
async function readLatestRuns(
  deps: Pick<Deps, "db" | "deployment" | "clock">,
  automations: AutomationRow[],
): Promise<(row: AutomationRow) => AutomationOverview> {
  const latest = await findLatest(
    deps,
    automations.map(({ id }) => id),
  );
  const ids = [...latest.values()].flatMap(({ latestId, endedId }) =>
    [latestId, endedId].filter((id) => id !== null),
  );
  const runs = await deps.db.prisma.automationRun.findMany({
    where: { id: { in: ids } },
    omit: { brief: true },
  });
  const found = new Map((await toAutomationRuns(deps, runs)).map((run) => [run.id, run]));
  return (row) => {
    const known = latest.get(row.id);
    return {
      ...toAutomation(row),
      latestRun: found.get(known?.latestId ?? "") ?? null,
      latestEndedRun: found.get(known?.endedId ?? "") ?? null,
      conditionState: row.condition !== null && known ? toShownState(deps, known) : null,
    };
  };
}

async function findLatest({ db }: Pick<Deps, "db">, ids: string[]): Promise<Map<string, Latest>> {
  const { rows } = await db.pool.query<Latest>({
    name: "find_latest_automation_runs",
    text: `
      SELECT automation.id AS "automationId", latest.id AS "latestId", ended.id AS "endedId", s.status::text,
        s.open_since AS "openSince", s.told_at AS "toldAt", s.reason, s.judged_at AS "judgedAt",
        s.acknowledged_at AS "acknowledgedAt", s.acknowledged_by AS "acknowledgedBy", s.snoozed_until AS "snoozedUntil",
        s.snoozed_by AS "snoozedBy"
      FROM unnest($1::uuid[]) AS automation(id)
        LEFT JOIN automation_condition_states s ON s.automation_id = automation.id
        LEFT JOIN LATERAL (
          SELECT id FROM automation_runs WHERE automation_id = automation.id
          ORDER BY created_at DESC, id DESC LIMIT 1) AS latest ON true
        LEFT JOIN LATERAL (
          SELECT id FROM automation_runs WHERE automation_id = automation.id AND status IN ('completed', 'failed')
          ORDER BY created_at DESC, id DESC LIMIT 1) AS ended ON true`,
    values: [ids],
  });
  return new Map(rows.map((row) => [row.automationId, row]));
}

export interface AutomationRow extends Prisma.AutomationModel {
  references: {
    parameterValues: Prisma.JsonValue;
    reference: Pick<Prisma.QueryReferenceModel, "id" | "shortId" | "title" | "deletedAt">;
  }[];
  dashboard: Pick<Prisma.DashboardModel, "id" | "title" | "deletedAt"> | null;
  subscribers: Prisma.AutomationSubscriberModel[];
  destinations: {
    eventTypes: string[];
    attachesCsv: boolean;
    endpoint: Pick<Prisma.WebhookEndpointModel, keyof typeof destinationChoice>;
  }[];
}

/** The relations to read with an automation: its references in order, its subscribers and its destinations. */
export const withContent = {
  references: {
    orderBy: { position: "asc" },
    // Without the parameter definitions, which can be long and are not needed.
    select: {
      parameterValues: true,
      reference: { select: { id: true, shortId: true, title: true, deletedAt: true } },
    },
  },
  dashboard: { select: { id: true, title: true, deletedAt: true } },
  subscribers: { orderBy: { userId: "asc" } },
  destinations: {
    orderBy: { endpointId: "asc" },
    select: {
      eventTypes: true,
      attachesCsv: true,
      endpoint: { select: destinationChoice },
    },
  },
} as const;

export const toBudgetColumns = ({ steps, tokens }: ModelBudget) => ({
  stepBudget: steps,
  tokenBudget: tokens,
});

const StoredSchedule = Automation.shape.schedule;

function toCondition(stored: unknown): Automation["condition"] {
  if (stored === null) return null;
  const { shortId, rule } = StoredAutomationCondition.parse(stored);
  return { shortId, rule };
}

export const toAutomation = (row: AutomationRow): Automation => ({
  id: row.id,
  name: row.name,
  instruction: row.instruction,
  references: row.references.map(({ parameterValues, reference }) => ({
    shortId: reference.shortId,
    title: reference.title,
    parameterValues: StoredParameterValues.parse(parameterValues),
    isDeleted: reference.deletedAt !== null,
  })),
  dashboard: row.dashboard && {
    id: row.dashboard.id,
    title: row.dashboard.title,
    isDeleted: row.dashboard.deletedAt !== null,
  },
  agent: row.agent,
  budget: { steps: row.stepBudget, tokens: row.tokenBudget },
  allowsSql: row.allowsSql,
  schedule: StoredSchedule.parse(row.schedule),
  enabled: row.enabled,
  whenBusy: row.whenBusy,
  timeLimitSeconds: row.timeLimitSeconds,
  subscribers: row.subscribers.map(({ userId, inApp, byMail, onFailure, onSummary }) => ({
    userId,
    inApp,
    byMail,
    onFailure,
    onSummary,
  })),
  destinations: row.destinations.map(({ eventTypes, attachesCsv: csv, endpoint }) => {
    const { id: destinationId, kind, name, state } = toDestinationChoice(endpoint);
    return { destinationId, kind, name, state, events: DestinationEvent.array().parse(eventTypes), csv };
  }),
  condition: toCondition(row.condition),
  recipients: StoredRecipients.nullable().parse(row.recipients),
  nextRunAt: row.nextRunAt?.toISOString() ?? null,
  lastSkippedAt: row.lastSkippedAt?.toISOString() ?? null,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});
