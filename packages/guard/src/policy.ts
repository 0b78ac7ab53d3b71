import { type Address, parseAddress } from "./address.ts";
import { contains, type Network } from "./network.ts";
import { classifyAddress, type Openable } from "./special-networks.ts";

/** What may be reached besides publicly routable addresses. */
export interface Policy {
  /** Development only: loopback targets, and plain http to them. */
  allowLoopback: boolean;
  /** An operator's own networks. Metadata services and addresses that embed another stay refused. */
  allowNetworks: readonly Network[];
}

export const publicOnly: Policy = { allowLoopback: false, allowNetworks: [] };

/** The address must not be connected to; the whole answer it came in is refused with it. */
export interface RefusedAddress {
  kind: "refused_address";
  address: string;
  /** What the address is, like `loopback`. */
  network: string;
  message: string;
}

/** Undefined when the policy lets the address be connected to. */
export function refuseAddress(text: string, policy: Policy): RefusedAddress | undefined {
  const address = parseAddress(text);
  if (!address) return refusal(text, "unreadable address");
  const special = classifyAddress(address);
  if (!special || isOpened(address, special.openable, policy)) return undefined;
  return refusal(text, special.name);
}

function isOpened(address: Address, openable: Openable, policy: Policy): boolean {
  if (openable === "never") return false;
  if (openable === "loopback" && policy.allowLoopback) return true;
  return policy.allowNetworks.some((network) => contains(network, address));
}

const refusal = (address: string, network: string): RefusedAddress => ({
  kind: "refused_address",
  address,
  network,
  message: `${address} is not a publicly routable address (${network}). Use a host that the internet can reach.`,
});
