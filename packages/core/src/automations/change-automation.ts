import { isDeepStrictEqual } from "node:util";
import { Prisma, type Tx } from "@querybell/db";
import {
  type Automation,
  type AutomationCondition,
  type AutomationId,
  type Caller,
  type CreateAutomation,
  destinationsOf,
  newId,
  StoredAutomationCondition,
  StoredRecipients,
  type UpdateAutomation,
} from "@querybell/domain";
import { type Actor, recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import {
  checkAgent,
  checkDashboard,
  checkDestinations,
  checkReferences,
  checkSubscribers,
  lockDestinations,
} from "./check-automation.ts";
import { checkCondition, checkKeys, resetConditionState } from "./conditions/check-condition.ts";
import {
  type AutomationRow,
  getAutomationRow,
  lockAutomation,
  toAutomation,
  toBudgetColumns,
  withContent,
} from "./get-automation.ts";
import { checkRecipients } from "./recipients/check-recipients.ts";
import { endAutomationRunIn, lockEventStream, stoppedBy } from "./runs/end-automation-run.ts";
import { automationNameOf } from "./runs/get-automation-run.ts";
import { nextRunAt } from "./schedules.ts";

export async function createAutomation(
  deps: Deps,
  caller: Caller,
  input: CreateAutomation,
): Promise<Automation> {
  await checkAgent(deps, caller, input.agent);
  const { condition, references } = input;
  if (condition) await checkKeys(deps, caller, { condition, references });
  return deps.db.transaction(async (tx) =>
    toAutomation(await insertAutomation({ ...deps, tx }, caller, input)),
  );
}

export async function insertAutomation(
  deps: { tx: Tx } & Pick<Deps, "clock" | "db">,
  creator: Actor & { userId: string },
  input: CreateAutomation,
): Promise<AutomationRow> {
  const row = await insertAutomationRow(deps, creator, input);
  const detail = { name: row.name, agent: row.agent };
  await recordAudit(deps, creator, { action: "automation.created", targetId: row.id, detail });
  return row;
}

/** Without an entry in the audit log: for trials too. */
export async function insertAutomationRow(
  deps: { tx: Tx } & Pick<Deps, "clock" | "db">,
  { organizationId, userId }: Pick<Caller, "organizationId" | "userId">,
  {
    references,
    subscribers,
    destinations,
    schedule,
    budget,
    condition,
    recipients,
    ...content
  }: CreateAutomation,
): Promise<AutomationRow> {
  const { tx, clock } = deps;
  const now = clock.now();
  await checkDashboard(tx, { organizationId }, { references, ...content });
  const { agent } = content;
  const create = await checkReferences(deps, { organizationId, userId }, references);
  if (condition) checkCondition({ condition, agent, references });
  const locked = await lockDestinations(tx, { organizationId }, [
    ...destinations.map(({ destinationId }) => destinationId),
    ...(recipients ? destinationsOf(recipients) : []),
  ]);
  if (recipients) checkRecipients({ recipients, agent, references, destinations: locked });
  const saved = condition && { id: newId(clock), ...condition };
  return tx.automation.create({
    data: {
      id: newId(clock),
      organizationId,
      ...content,
      condition: saved ?? Prisma.DbNull,
      recipients: recipients ?? Prisma.DbNull,
      ...(saved && { conditionState: { create: { conditionId: saved.id, organizationId } } }),
      ...toBudgetColumns(budget),
      schedule: schedule ?? Prisma.DbNull,
      nextRunAt: nextRunAt({ ...content, schedule }, now),
      createdBy: userId,
      ownerId: userId,
      createdAt: now,
      updatedAt: now,
      references: { create },
      subscribers: { create: await checkSubscribers(tx, { organizationId }, subscribers) },
      destinations: { create: checkDestinations(locked, { organizationId }, destinations) },
    },
    include: withContent,
  });
}

/** Also pauses and enables. Times missed while paused are skipped. */
export async function updateAutomation(
  deps: Deps,
  caller: Caller,
  { id, ...input }: UpdateAutomation,
): Promise<Automation> {
  const { references, subscribers, destinations, schedule, budget, condition, recipients, ...content } =
    input;
  if (content.agent) await checkAgent(deps, caller, content.agent);
  if (condition) await checkSavedKeys(deps, caller, { id, condition, references });
  return deps.db.transaction(async (tx) => {
    const before = await lockAutomation(tx, caller, id);
    const updatedAt = deps.clock.now();
    if (references) {
      const create = await checkReferences({ ...deps, tx }, caller, references);
      await tx.automationReference.deleteMany({ where: { automationId: id } });
      await tx.automation.update({ where: { id }, data: { references: { create } } });
    }
    if (subscribers) {
      const data = await checkSubscribers(tx, caller, subscribers);
      await tx.automationSubscriber.deleteMany({ where: { automationId: id } });
      await tx.automationSubscriber.createMany({ data: data.map((row) => ({ automationId: id, ...row })) });
    }
    // A form sends the recipients with every change: what was saved before may name a destination that was deleted since.
    const areRecipientsNew = recipients && !isDeepStrictEqual(recipients, storedRecipientsOf(before));
    const locked = await lockDestinations(tx, caller, [
      ...(destinations ?? []).map(({ destinationId }) => destinationId),
      ...(areRecipientsNew ? destinationsOf(recipients) : []),
    ]);
    if (destinations) {
      const data = checkDestinations(locked, caller, destinations);
      await tx.automationDestination.deleteMany({ where: { automationId: id } });
      await tx.automationDestination.createMany({ data: data.map((row) => ({ automationId: id, ...row })) });
    }
    if (references || content.dashboardId !== undefined || content.agent) {
      await checkDashboard(tx, caller, {
        references: references ?? before.references,
        dashboardId: content.dashboardId === undefined ? before.dashboardId : content.dashboardId,
        agent: content.agent ?? before.agent,
      });
    }
    const saved = await changeCondition({ ...deps, tx }, before, {
      condition,
      references,
      agent: content.agent,
    });
    const told = changeRecipients(before, {
      ...{ recipients, references, agent: content.agent },
      destinations: areRecipientsNew ? locked : "checked",
    });
    const after = {
      enabled: content.enabled ?? before.enabled,
      schedule: schedule === undefined ? before.schedule : schedule,
    };
    // A form sends the schedule with every change. A time that is due must not be lost then.
    const isScheduleChanged =
      after.enabled !== before.enabled || !isDeepStrictEqual(after.schedule, before.schedule);
    const row = await tx.automation.update({
      where: { id },
      data: {
        name: content.name ?? before.name,
        instruction: content.instruction ?? before.instruction,
        agent: content.agent ?? before.agent,
        ...(content.dashboardId !== undefined && { dashboardId: content.dashboardId }),
        ...(budget && toBudgetColumns(budget)),
        allowsSql: content.allowsSql ?? before.allowsSql,
        whenBusy: content.whenBusy ?? before.whenBusy,
        timeLimitSeconds: content.timeLimitSeconds ?? before.timeLimitSeconds,
        enabled: after.enabled,
        schedule: after.schedule ?? Prisma.DbNull,
        condition: saved ?? Prisma.DbNull,
        recipients: told ?? Prisma.DbNull,
        ...(changesWhatItDoes({ ...content, references, destinations, recipients }) && {
          ownerId: caller.userId,
        }),
        ...(isScheduleChanged && { nextRunAt: nextRunAt(after, updatedAt) }),
        updatedAt,
      },
      include: withContent,
    });
    const given = Object.entries(input).filter(([, value]) => value !== undefined);
    const detail = { name: row.name, enabled: row.enabled, changed: given.map(([field]) => field) };
    await recordAudit({ ...deps, tx }, caller, { action: "automation.changed", targetId: id, detail });
    return toAutomation(row);
  });
}

type Choice = Pick<UpdateAutomation, "condition" | "references" | "agent">;

/**
 * The condition to store. One that has changed, or whose chart has other values, has a new id and starts again. Throws if
 * the automation cannot have it, also because of what else changes.
 */
async function changeCondition(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  before: AutomationRow,
  { condition: given, references: chosen, agent = before.agent }: Choice,
): Promise<StoredAutomationCondition | null> {
  const stored = StoredAutomationCondition.nullable().parse(before.condition);
  const condition = given === undefined ? stored : given;
  if (condition === null && stored === null) return null;
  const old = toAutomation(before).references;
  const references = chosen ?? old;
  if (condition) checkCondition({ condition, agent, references });
  const judged = ({ shortId, rule }: AutomationCondition, among: typeof references) => {
    const reference = among.find((one) => one.shortId === shortId);
    return { shortId, rule, parameterValues: reference?.parameterValues };
  };
  if (stored && condition && isDeepStrictEqual(judged(stored, old), judged(condition, references)))
    return stored;
  const saved = condition && { id: newId(clock), shortId: condition.shortId, rule: condition.rule };
  const { id: automationId, organizationId } = before;
  await resetConditionState(tx, { automationId, organizationId, conditionId: saved?.id ?? null });
  return saved;
}

const storedRecipientsOf = ({ recipients }: AutomationRow) => StoredRecipients.nullable().parse(recipients);

/** The recipients to store. Throws if the automation cannot have them, also because of what else changes. */
function changeRecipients(
  before: AutomationRow,
  {
    recipients = storedRecipientsOf(before),
    references = toAutomation(before).references,
    agent = before.agent,
    destinations,
  }: Pick<UpdateAutomation, "recipients" | "references" | "agent"> &
    Pick<Parameters<typeof checkRecipients>[0], "destinations">,
): StoredRecipients | null {
  if (recipients) checkRecipients({ recipients, agent, references, destinations });
  return recipients;
}

async function checkSavedKeys(
  deps: Deps,
  caller: Caller,
  { id, condition, references }: { id: string; condition: AutomationCondition } & Pick<Choice, "references">,
): Promise<void> {
  const row = await getAutomationRow(deps.db.prisma, caller, id);
  const stored = StoredAutomationCondition.nullable().parse(row.condition);
  // A form sends the condition with every change: rows that have become equal must not keep it from being saved.
  const { shortId, rule } = condition;
  if (stored && isDeepStrictEqual({ shortId: stored.shortId, rule: stored.rule }, { shortId, rule })) return;
  await checkKeys(deps, caller, { condition, references: references ?? toAutomation(row).references });
}

/**
 * Pausing, renaming and subscribing change nothing of what the runs do, and so not with whose rights they do it. Sending
 * whole results to a destination does.
 */
const changesWhatItDoes = ({
  references,
  dashboardId,
  instruction,
  agent,
  allowsSql,
  recipients,
  destinations,
}: Omit<UpdateAutomation, "id">): boolean =>
  [references, dashboardId, instruction, agent, allowsSql, recipients].some((value) => value !== undefined) ||
  destinations?.some(({ csv }) => csv) === true;

/** Soft delete: the chats remain. Unfinished runs are stopped. */
export async function deleteAutomation(deps: Deps, caller: Caller, { id }: AutomationId): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await lockEventStream(tx, caller);
    await deleteAutomationIn({ ...deps, tx }, caller, id);
  });
}

/** The same in the transaction of the caller, which has locked the event stream. */
export async function deleteAutomationIn(
  deps: Parameters<typeof endAutomationRunIn>[0],
  caller: Caller,
  id: string,
): Promise<void> {
  const { tx } = deps;
  const { name } = await lockAutomation(tx, caller, id);
  const runs = await tx.automationRun.findMany({
    where: { automationId: id, status: { in: ["pending", "running"] } },
    select: { id: true, organizationId: true, automationId: true, shortId: true, brief: true },
    // The ready run last: ending it earlier would make the next one ready.
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
  });
  for (const run of runs) {
    const automationName = automationNameOf(run);
    await endAutomationRunIn(deps, { ...run, automationName }, stoppedBy(caller));
  }
  await tx.automation.update({ where: { id }, data: { deletedAt: deps.clock.now(), nextRunAt: null } });
  await recordAudit(deps, caller, { action: "automation.deleted", targetId: id, detail: { name } });
}
