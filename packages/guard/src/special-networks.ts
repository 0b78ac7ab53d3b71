import { type Address, contains, type Network, parseNetwork } from "./network.ts";

/**
 * How a policy can allow a special network: `loopback` with `allowLoopback` or by listing the network, `private` by
 * listing it, `never` not at all.
 */
export type Exemption = "loopback" | "private" | "never";

interface SpecialNetwork extends Network {
  name: string;
  exemption: Exemption;
}

const special = (exemption: Exemption, rows: [network: string, name: string][]): SpecialNetwork[] =>
  rows.map(([text, name]) => ({ ...parseNetwork(text), name, exemption }));

/**
 * Every row of IANA's special-purpose registries for IPv4 and IPv6, including the rows marked globally reachable
 * (they are relays and sinks, never a customer's host), plus multicast and the metadata services that clouds have on
 * addresses outside the registries. More specific rows come first, so that the name in a message is the specific one.
 */
export const specialNetworks: readonly SpecialNetwork[] = [
  ...special("never", [
    ["169.254.169.254/32", "cloud metadata"],
    ["100.100.100.200/32", "cloud metadata"],
    ["168.63.129.16/32", "cloud platform services"],
    ["192.80.8.124/32", "cloud metadata"],
    ["192.0.0.192/32", "cloud metadata"],
    ["fd00:ec2::/32", "cloud metadata"],
    ["fd20:ce::/32", "cloud metadata"],
  ]),
  ...special("loopback", [
    ["127.0.0.0/8", "loopback"],
    ["::1/128", "loopback"],
  ]),
  ...special("private", [
    ["10.0.0.0/8", "private network"],
    ["172.16.0.0/12", "private network"],
    ["192.168.0.0/16", "private network"],
    ["100.64.0.0/10", "carrier-grade NAT"],
    ["198.18.0.0/15", "benchmarking"],
    ["fc00::/7", "unique local network"],
    ["fec0::/10", "site-local (deprecated)"],
    ["2001:2::/48", "benchmarking"],
  ]),
  ...special("never", [
    ["0.0.0.0/8", "this network"],
    ["169.254.0.0/16", "link-local"],
    ["192.0.0.0/24", "IETF protocol assignments"],
    ["192.0.2.0/24", "documentation"],
    ["192.31.196.0/24", "AS112"],
    ["192.52.193.0/24", "multicast tunnelling (AMT)"],
    ["192.88.99.0/24", "6to4 relay (deprecated)"],
    ["192.175.48.0/24", "AS112"],
    ["198.51.100.0/24", "documentation"],
    ["203.0.113.0/24", "documentation"],
    ["224.0.0.0/4", "multicast"],
    ["255.255.255.255/32", "broadcast"],
    ["240.0.0.0/4", "reserved"],
    ["::/128", "unspecified"],
    ["::ffff:0:0/96", "IPv4-mapped"],
    ["::ffff:0:0:0/96", "IPv4-translated"],
    ["::/96", "IPv4-compatible (deprecated)"],
    ["64:ff9b::/96", "NAT64"],
    ["64:ff9b:1::/48", "local NAT64"],
    ["100::/64", "discard-only"],
    ["100:0:0:1::/64", "dummy prefix"],
    ["2001::/32", "Teredo"],
    ["2001:10::/28", "ORCHID (deprecated)"],
    ["2001:20::/28", "ORCHIDv2"],
    ["2001:30::/28", "drone remote ids"],
    ["2001:db8::/32", "documentation"],
    ["2001::/23", "IETF protocol assignments"],
    ["2002::/16", "6to4"],
    ["2620:4f:8000::/48", "AS112"],
    ["3ffe::/16", "6bone (returned)"],
    ["3fff::/20", "documentation"],
    ["5f00::/16", "segment routing (SRv6)"],
    ["fe80::/10", "link-local"],
    ["ff00::/8", "multicast"],
  ]),
];

const globalUnicast = parseNetwork("2000::/3");
const outsideGlobalUnicast: SpecialNetwork = {
  ...parseNetwork("::/0"),
  name: "outside global unicast (2000::/3)",
  exemption: "never",
};
const isatap: SpecialNetwork = { ...parseNetwork("::/0"), name: "ISATAP tunnel", exemption: "never" };

/** The special network an address belongs to, or undefined when it is publicly routable. */
export function classifyAddress(address: Address): SpecialNetwork | undefined {
  const listed = specialNetworks.find((network) => contains(network, address));
  if (listed || address.bytes.length === 4) return listed;
  // IPv6 is refused by default: only 2000::/3 has been given out, and a tunnel may hide in any prefix.
  if (!contains(globalUnicast, address)) return outsideGlobalUnicast;
  return hasIsatapId(address) ? isatap : undefined;
}

/** RFC 5214: an interface id of 00-00-5E-FE or 02-00-5E-FE, then the IPv4 address it tunnels to. */
function hasIsatapId({ bytes }: Address): boolean {
  const [first, second, third, fourth] = bytes.subarray(8, 12);
  return (first === 0 || first === 2) && second === 0 && third === 0x5e && fourth === 0xfe;
}
