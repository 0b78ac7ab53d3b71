export {
  type CheckedAddresses,
  type CheckResult,
  createGuard,
  type Guard,
} from "./guard.ts";
export type { Host } from "./host.ts";
export { type Network, parseNetworks } from "./network.ts";
export { type Policy, publicOnly } from "./policy.ts";
export type { Refusal } from "./refusal.ts";
export type { Target } from "./target.ts";
