import type { Inputs, Outputs } from "@querybell/client";
import { defaultModelBudget } from "@querybell/domain";
import { queryClient, trpc } from "../../../api.ts";
import { Failure } from "../../../errors/failure.ts";
import { toParameterValues, toTexts, type ValueTexts } from "../../../parameters/parameter-values.ts";
import { findValueErrors } from "../../../parameters/value-errors.ts";
import { alwaysSpeaks, type ConditionValues, conditionValuesOf, toCondition } from "./condition-values.ts";
import { noRecipients, type RecipientValues, recipientValuesOf, toRecipients } from "./recipient-values.ts";
import { fromSchedule, type ScheduleValues, toSchedule } from "./schedule-presets.ts";

type Automation = Outputs["automations"]["create"];
export type Subscriber = Automation["subscribers"][number];

export type ChosenDestination = Pick<Automation["destinations"][number], "destinationId" | "events" | "csv">;

/** A reference in the form. Values are the typed text; an empty one takes the parameter's default. */
interface ChosenReference {
  /** A React key: the same reference can be listed twice. */
  key: string;
  shortId: string;
  title: string;
  parameterValues: ValueTexts;
}

export interface AutomationValues {
  name: string;
  instruction: string;
  references: ChosenReference[];
  /** Null: no dashboard. */
  dashboard: { id: string; title: string } | null;
  schedule: ScheduleValues;
  agent: Automation["agent"];
  budget: { steps: number | string; tokens: number | string };
  allowsSql: boolean;
  whenBusy: Automation["whenBusy"];
  timeLimitMinutes: number | string;
  subscribers: Subscriber[];
  destinations: ChosenDestination[];
  condition: ConditionValues;
  recipients: RecipientValues;
}

const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

export const newValues = (userId: string): AutomationValues => ({
  name: "",
  instruction: "",
  references: [],
  dashboard: null,
  schedule: { ...fromSchedule(null, ownZone()), preset: "daily" },
  agent: "digest",
  budget: { ...defaultModelBudget },
  allowsSql: false,
  whenBusy: "queue",
  timeLimitMinutes: 15,
  destinations: [],
  condition: alwaysSpeaks(),
  recipients: noRecipients(),
  subscribers: [{ userId, inApp: true, byMail: false, onFailure: true, onSummary: true }],
});

export const valuesOf = (automation: Automation): AutomationValues => ({
  name: automation.name,
  instruction: automation.instruction,
  references: automation.references.map(({ shortId, title, parameterValues }) => ({
    key: crypto.randomUUID(),
    shortId,
    title,
    parameterValues: toTexts(parameterValues),
  })),
  dashboard: automation.dashboard,
  schedule: fromSchedule(automation.schedule, ownZone()),
  agent: automation.agent,
  budget: automation.budget,
  allowsSql: automation.allowsSql,
  whenBusy: automation.whenBusy,
  timeLimitMinutes: automation.timeLimitSeconds / 60,
  subscribers: automation.subscribers,
  destinations: automation.destinations.map(({ destinationId, events, csv }) => ({
    destinationId,
    events,
    csv,
  })),
  condition: conditionValuesOf(automation.condition),
  recipients: recipientValuesOf(automation.recipients),
});

/** Converts the form's values to the input of the api. */
export async function inputOf(values: AutomationValues): Promise<Inputs["automations"]["create"]> {
  const { references, dashboard, schedule, timeLimitMinutes, budget, condition, recipients, ...rest } =
    values;
  return {
    ...rest,
    dashboardId: dashboard?.id ?? null,
    condition: toCondition(condition),
    recipients: toRecipients(recipients),
    budget: { steps: Number(budget.steps), tokens: Number(budget.tokens) },
    references: await Promise.all(references.map(readValues)),
    schedule: toSchedule(schedule),
    timeLimitSeconds: Math.round(Number(timeLimitMinutes) * 60),
  };
}

/** Converts the form's values to the input of a trial. */
export async function trialOf(values: AutomationValues): Promise<Omit<Inputs["automations"]["try"], "id">> {
  const { agent, schedule, enabled, whenBusy, subscribers, destinations, condition, recipients, ...tried } =
    await inputOf(values);
  return {
    ...tried,
    ...(agent !== "external" && { agent }),
  };
}

/** The values of a reference. Throws if some do not fit, with the fields that are to be corrected. */
async function readValues({ shortId, title, parameterValues }: ChosenReference, index: number) {
  const given = Object.fromEntries(Object.entries(parameterValues).filter(([, text]) => text.trim() !== ""));
  const { inputs } = await queryClient.ensureQueryData(trpc.references.get.queryOptions({ shortId }));
  const wrong = Object.entries(findValueErrors(inputs, given));
  if (wrong.length > 0) {
    const path = `references.${index}.parameterValues`;
    const fields = Object.fromEntries(wrong.map(([name, words]) => [`${path}.${name}`, words]));
    throw new Failure(`Correct the values of “${title}”.`, "invalid_parameter_value", fields);
  }
  if (Object.keys(given).length === 0) return { shortId };
  return { shortId, parameterValues: toParameterValues(inputs.definitions, given) };
}
