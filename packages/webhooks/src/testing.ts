// For tests alone: customers' servers, and the steps of a pump one at a time, which a whole pump takes too fast
// for a test to come between.
export { claimDueDeliveries } from "./deliveries/claim-due-deliveries.ts";
export { holdAllPendingDeliveries } from "./deliveries/hold-pending-deliveries.ts";
export type { OutcomeRecord } from "./deliveries/outcome-record.ts";
export { recordOutcomes } from "./deliveries/record-outcomes.ts";
export { readEndpoints } from "./pump/endpoint.ts";
export { acquireEndpoints, registerPump, renewLease } from "./pump/leases.ts";
export { type Behaviour, startReceiver } from "./send/testing/receiver.ts";
