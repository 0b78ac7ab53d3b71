import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type AutomationFailure,
  Email,
  maxLeftOutRecipients,
  newId,
  type RecipientMessage,
  type RecipientRefusal,
  type RunRecipients,
  recipientEventType,
  type StoredRecipients,
} from "@querybell/domain";
import { GroupRows, type RowSplit, type SplitRows } from "@querybell/summaries";
import type { DirectMessage } from "@querybell/webhooks";
import { findAllowedAddresses } from "../../destinations/row-recipients.ts";
import { runReference } from "../agents/tools/run-reference.ts";
import { computeResults, toStoredResult } from "../agents/tools/step-results.ts";
import { type ToolWork, tooLargeFailure, toQueryStepName } from "../agents/tools/tool-call.ts";
import type { AutomationEnd, ToldWithEnd } from "../runs/end-automation-run.ts";
import { findTargets, type Targets } from "./find-targets.ts";

/** The messages of a run to those whom rows name. Stored in the transaction that ends the run. */
export interface RecipientMessages {
  events: DirectMessage[];
  outcome: RunRecipients;
}

type Made = { kind: "made"; messages: RecipientMessages } | { kind: "failed"; failure: AutomationFailure };

export const toSplit = ({ shortId, column, where, to, maxMessages }: StoredRecipients) => ({
  shortId,
  ...({ column, where, isAddress: to.kind === "addresses", maxGroups: maxMessages } satisfies RowSplit),
});

/**
 * Makes the messages of a run that is about to end. Undefined if there are none to make: the automation has no recipients, the
 * run failed, or its condition does not speak. Changes nothing but the chat, like judging.
 */
export async function makeMessages(
  work: ToolWork,
  { end, judgement }: Pick<ToldWithEnd, "judgement"> & { end: AutomationEnd },
): Promise<Made | undefined> {
  const { recipients } = work.run.brief;
  if (!recipients || end.kind === "failed") return undefined;
  if (judgement && (judgement === "superseded" || !judgement.tellsPeople || !judgement.judged.groups)) {
    return undefined;
  }
  const groups = judgement ? judgement.judged.groups : await splitResult(work, recipients);
  if (!groups || "kind" in groups) return groups ?? undefined;
  const problem = problemOf(groups, recipients);
  if (problem !== null || "problem" in groups) return failed(problem ?? "");
  const targets = await findTargets(work.deps, work.run, recipients);
  if ("problem" in targets) return failed(targets.problem);
  return { kind: "made", messages: await toMessages(work, { groups, targets, recipients }) };
}

const failed = (reason: string): Made => ({
  kind: "failed",
  failure: { code: "recipients_failed", reason },
});

/** Why a run with these groups sends nothing; null if it does. */
export function problemOf(groups: SplitRows, { column, maxMessages }: StoredRecipients): string | null {
  if ("problem" in groups) return `The messages to recipients could not be made. ${groups.problem}`;
  const { groupCount } = groups;
  if (groupCount <= maxMessages) return null;
  return `The column ${JSON.stringify(column)} names ${groupCount} recipients, and the automation sends at most ${maxMessages} messages in a run, so it has sent none. Raise the limit, or let the query return fewer.`;
}

async function splitResult(
  work: ToolWork,
  recipients: StoredRecipients,
): Promise<SplitRows | Extract<Made, { kind: "failed" }>> {
  const { shortId, ...split } = toSplit(recipients);
  const reference = work.run.brief.references.find((one) => one.shortId === shortId);
  if (!reference) return { problem: "The automation does not look at the chart any more." };
  const input = { shortId, parameterValues: reference.parameterValues };
  // The agent has run it before, so this finds its step. A model may not have.
  const call = { name: toQueryStepName(input), tool: "run_query", input };
  const outcome = await runReference(work, call, input);
  if (outcome.kind === "failed") return outcome;
  const results = [toStoredResult(work, outcome.answer.result)];
  const answer = await computeResults(work, { operation: { name: "split", split }, results });
  return answer ? answer.groups : { kind: "failed", failure: tooLargeFailure(reference.title) };
}

type Groups = Exclude<SplitRows, { problem: string }>;

interface ToMake {
  groups: Groups;
  targets: Targets;
  recipients: StoredRecipients;
}

async function toMessages(
  { deps, run }: ToolWork,
  { groups, targets, recipients }: ToMake,
): Promise<RecipientMessages> {
  const { title: chart = "" } =
    run.brief.references.find(({ shortId }) => shortId === recipients.shortId) ?? {};
  const targetOf = await resolveTargets(deps, { organizationId: run.organizationId, targets, groups });
  const events: DirectMessage[] = [];
  const told: RunRecipients["told"] = [];
  const leftOut: RunRecipients["leftOut"] = [];
  const createdAt = deps.clock.now().toISOString();
  for (const { value: recipient, rowCount, rows } of groups.groups) {
    const target = targetOf(recipient);
    if (typeof target === "string") {
      leftOut.push({ recipient, rowCount, refusal: target });
      continue;
    }
    const eventId = newId(deps.clock);
    const { destinationId: endpointId, address, isMember } = target;
    const data: RecipientMessage = {
      ...{ automationId: run.automationId, runId: run.id, recipient, address, isMember },
      ...{ csv: recipients.csv, chart, rowCount, columns: groups.columns },
      rows: GroupRows.parse(JSON.parse(rows)),
    };
    const body = JSON.stringify({ id: eventId, type: recipientEventType, createdAt, data });
    events.push({ eventId, endpointId, body });
    told.push({ recipient, rowCount, eventId });
    await nextTurn();
  }
  const { emptyCount } = groups;
  const leftOutCount = leftOut.length;
  return {
    events,
    outcome: { told, leftOut: leftOut.slice(0, maxLeftOutRecipients), leftOutCount, emptyCount },
  };
}

interface Target {
  destinationId: string;
  /** Null: those of the destination. */
  address: string | null;
  isMember: boolean;
}

/** Finds the destination of a value, or why there is none. */
export async function resolveTargets(
  deps: Parameters<typeof findAllowedAddresses>[0],
  { organizationId, targets, groups }: { organizationId: string; targets: Targets; groups: Groups },
): Promise<(value: string) => Target | RecipientRefusal> {
  if (targets.kind === "destinations") {
    return (value) => {
      const destinationId = targets.byValue.get(value);
      return destinationId === undefined
        ? "no_destination"
        : { destinationId, address: null, isMember: false };
    };
  }
  const { destinationId, policy, ownAddresses } = targets;
  const addresses = groups.groups.flatMap(({ value }) => Email.safeParse(value).data ?? []);
  const allowed = await findAllowedAddresses(deps, { organizationId, policy, ownAddresses, addresses });
  return (value) => {
    const { data: address } = Email.safeParse(value);
    if (address === undefined) return "not_an_address";
    const found = allowed.get(address);
    return found ? { destinationId, address, ...found } : "not_allowed";
  };
}
