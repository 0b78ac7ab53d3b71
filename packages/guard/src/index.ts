export { createGuard, type Guard } from "./guard.ts";
export { type Network, parseNetworks } from "./network.ts";
export { publicOnly, type Refusal } from "./policy.ts";
export type { Target } from "./target.ts";
