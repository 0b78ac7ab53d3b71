export { keepLease, releaseLease, renewLease } from "./keep-lease.ts";
export { maxAttempts, maxHostDeaths } from "./run-lease.ts";
