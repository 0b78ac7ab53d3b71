import { type Address, parseAddress } from "./address.ts";
import { contains, type Network } from "./network.ts";
import type { Refusal } from "./refusal.ts";
import { classifyAddress, type Exemption } from "./special-networks.ts";

/** Which addresses may be connected to, besides publicly routable ones. */
export interface Policy {
  /** Development only: loopback targets, and plain http to them. */
  allowLoopback: boolean;
  /** An operator's own networks. Metadata services and addresses that embed another stay refused. */
  allowNetworks: readonly Network[];
}

export const publicOnly: Policy = { allowLoopback: false, allowNetworks: [] };

/** Undefined if the policy allows the address. */
export function refuseAddress(text: string, policy: Policy): Refusal | undefined {
  const address = parseAddress(text);
  if (!address) return refused(text, "unreadable address");
  const special = classifyAddress(address);
  if (!special || isExempt(address, special.exemption, policy)) return undefined;
  return refused(text, special.name);
}

function isExempt(address: Address, exemption: Exemption, policy: Policy): boolean {
  if (exemption === "never") return false;
  if (exemption === "loopback" && policy.allowLoopback) return true;
  return policy.allowNetworks.some((network) => contains(network, address));
}

const refused = (address: string, network: string): Refusal => ({
  kind: "refused_address",
  message: `${address} is not a publicly routable address (${network}). Use a host that the internet can reach.`,
});
