export {
  type CheckedAddresses,
  type CheckResult,
  createGuard,
  type Guard,
} from "./guard.ts";
export { type Network, parseNetworks } from "./network.ts";
export { type Policy, publicOnly, type Refusal } from "./policy.ts";
export type { Host, Target } from "./target.ts";
