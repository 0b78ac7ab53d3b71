import { type Address, contains, type Network, parseAddress } from "./network.ts";
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

/** Why we do not connect to a URL, a host or an address. */
export interface Refusal {
  /**
   * `refused_url`: the URL or host is malformed or of a kind that we do not call. `refused_address`: it is, or
   * resolves to, an address that the policy does not allow. `dns`: the name could not be resolved.
   */
  kind: "refused_url" | "refused_address" | "dns";
  /** What is wrong and what to do, for the person who set the URL or host. */
  message: string;
}
