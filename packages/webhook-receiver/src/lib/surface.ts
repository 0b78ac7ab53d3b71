// What every build exports besides its own createReceiver.
export type { CapturedRequest, FetchRequest, WebhookRequest } from "./captured-request.ts";
export type { Acceptance, Claim, DedupeRetention, DedupeStore, DeliveryHandler } from "./dedupe.ts";
export type { Delivery } from "./delivery.ts";
export type { AutomationRunCompleted, AutomationRunFailed, UnknownEvent, WebhookEvent } from "./event.ts";
export type { HeaderLookup, WebhookHeaders } from "./headers.ts";
export type { Receiver, ReceiverOptions } from "./receiver.ts";
export type { LabelledSecret, Secrets } from "./secrets.ts";
export { WebhookError, type WebhookErrorCode } from "./webhook-error.ts";
