export { keepLease, releaseLease, renewLease } from "./keep-lease.ts";
export { maxAttempts } from "./run-lease.ts";
