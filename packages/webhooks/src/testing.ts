// For tests alone: customers' servers, and the steps of a pump one at a time, which a whole pump takes too fast
// for a test to come between.
export { claimDue } from "./pump/claim.ts";
export { readEndpoints } from "./pump/endpoints.ts";
export { register, renewLease, takeEndpoints } from "./pump/leases.ts";
export type { OutcomeRecord } from "./pump/outcome-record.ts";
export { recordOutcomes } from "./pump/record-outcomes.ts";
export { settleInactiveEndpoints } from "./pump/sweep.ts";
export { type Behaviour, startReceiver } from "./send/testing/receiver.ts";
