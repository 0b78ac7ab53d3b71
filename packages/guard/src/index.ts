export {
  type CheckedAddresses,
  type CheckResult,
  createGuard,
  type Guard,
} from "./guard.ts";
export type { Host, RefusedHost } from "./host.ts";
export { type Network, parseNetworks } from "./network.ts";
export { type Policy, publicOnly, type RefusedAddress } from "./policy.ts";
export type { UnresolvedName } from "./resolve.ts";
export type { RefusedUrl, Target } from "./target.ts";
