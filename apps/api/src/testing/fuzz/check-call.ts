import type { Agent } from "node:http";
import type { FuzzCall } from "./call.ts";
import { findProblems } from "./check-answer.ts";
import type { Operation } from "./operations.ts";
import type { OtherOrganization } from "./organizations.ts";
import type { OurOrganization } from "./our-organization.ts";
import { type HttpAnswer, sendCall } from "./send-call.ts";
import { type IdsByKind, replaceSymbols, replaceSymbolsIn, type Whose } from "./symbols.ts";

export interface CallContext {
  url: string;
  agent: Agent;
  ids: Record<Whose, IdsByKind>;
  ours: OurOrganization;
  other: OtherOrganization;
  /** Ids of the other organization in calls that succeeded: they may be stored as text, and be shown again. */
  accepted: Set<string>;
}

/** Makes a call. Returns its answer, and what is wrong with it. */
export async function checkCall(
  operation: Operation,
  { caller, input, form }: FuzzCall,
  { url, agent, ids, ours, other, accepted }: CallContext,
): Promise<{ answer?: HttpAnswer; problems: string[] }> {
  const { isSubscription } = operation;
  const call = operation.encode(replaceSymbolsIn(input, ids), form);
  const headers = Object.fromEntries(
    Object.entries({ ...ours.headers[caller], ...call.headers }).map(([name, text]) => [
      name,
      replaceSymbols(text, ids),
    ]),
  );
  let answer: HttpAnswer;
  try {
    answer = await sendCall(url, { ...call, headers }, { agent, isSubscription });
  } catch (error) {
    return { problems: [`no answer: ${error}`] };
  }
  const isRefused = answer.status >= 400;
  const sent = `${decodeLeniently(call.path)} ${call.body ?? ""}`;
  const sentIds = other.secretIds.filter((id) => sent.includes(id));
  if (!isRefused) for (const id of sentIds) accepted.add(id);
  const received = `${JSON.stringify(answer.headers)} ${answer.text}`.toLowerCase();
  // A refusal may repeat an id of the input.
  const shown = [
    ...other.marks,
    ...other.secretIds.filter((id) => !accepted.has(id) && !sentIds.includes(id)),
  ]
    .filter((secret) => received.includes(secret.toLowerCase()))
    .map((secret) => `shows ${secret} of another organization: ${answer.text.slice(0, 500)}`);
  return { answer, problems: [...findProblems(answer, call), ...shown] };
}

function decodeLeniently(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
