import { WebhookError } from "./webhook-error.ts";

export interface Envelope {
  /** Equal to the `svc-webhook-id` header and the same in every retry: deduplicate by it. */
  id: string;
  /** ISO 8601 UTC with milliseconds. */
  createdAt: string;
}

/** An automation's run finished successfully. */
export interface AutomationRunCompleted extends Envelope {
  known: true;
  type: "automation.run.completed";
  data: {
    automationId: string;
    runId: string;
    /** A short text about what the run found. */
    summary: string;
    /** A permalink to the run's chat. */
    chatUrl: string;
    /** Reserved: null today. */
    imageUrl: string | null;
  };
}

/** An automation's run failed, or was stopped (`reason` is then `stopped`). */
export interface AutomationRunFailed extends Envelope {
  known: true;
  type: "automation.run.failed";
  data: { automationId: string; runId: string; reason: string };
}

/**
 * An event of another type than the two above: acknowledge it, and ignore it or read `data`. `isEvent` of
 * `@querybell/webhook-receiver/events` tells the types that this version has.
 */
export interface UnknownEvent extends Envelope {
  known: false;
  type: string;
  data: Readonly<Record<string, unknown>>;
}

/** Check `known` first; then `type` tells the shape of `data`. */
export type WebhookEvent = AutomationRunCompleted | AutomationRunFailed | UnknownEvent;

type Fields = Readonly<Record<string, unknown>>;

/** The strings that `data` must have, by type. */
const required = new Map([
  ["automation.run.completed", ["automationId", "runId", "summary", "chatUrl"]],
  ["automation.run.failed", ["automationId", "runId", "reason"]],
]);

export function parseEvent(deliveryId: string, body: Uint8Array): WebhookEvent {
  const envelope = parseJson(body);
  if (!isEnvelope(envelope) || envelope.id !== deliveryId) {
    throw malformed("The body is not the event of svc-webhook-id.");
  }
  const event = { ...envelope, known: required.has(envelope.type) };
  if (!isWebhookEvent(event)) throw malformed(`The data is not that of ${envelope.type}.`);
  return event;
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const hasStrings = (fields: Fields, names: readonly string[] = []) =>
  names.every((name) => typeof fields[name] === "string");

const isEnvelope = (value: unknown): value is Omit<UnknownEvent, "known"> =>
  isFields(value) && hasStrings(value, ["id", "type", "createdAt"]) && isFields(value.data);

const isWebhookEvent = (event: { type: string; data: Fields }): event is WebhookEvent =>
  hasStrings(event.data, required.get(event.type));

const malformed = (message: string) =>
  new WebhookError("malformed_event", message, "It is genuine: look for a newer version of this kit.");
