export type { Attempt, ResponseSeen, Timings } from "./send/attempt.ts";
export { checkCustomHeaders } from "./send/custom-headers.ts";
export { type EndpointSettings, type PreparedEndpoint, prepareEndpoint } from "./send/endpoint.ts";
export { describeOutcome, type Outcome, outcomeClass } from "./send/outcome.ts";
export { createSender, type Sender, type SenderOptions } from "./send/sender.ts";
export type { OutgoingEvent } from "./send/signing.ts";
