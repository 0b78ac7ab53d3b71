import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contains, parseAddress, parseNetwork, parseNetworks } from "./network.ts";
import { publicOnly, refuseAddress } from "./policy.ts";
import { specialNetworks } from "./special-networks.ts";

/** The name of the network in the refusal's message. */
const refusedAs = (address: string, policy = publicOnly) =>
  refuseAddress(address, policy)?.message.match(/ is not a publicly routable address \((.*)\)\. /)?.[1];

/** First, middle and last addresses of every block, and the public neighbours on both sides. */
const special: Record<string, string[]> = {
  "this network": ["0.0.0.0", "0.0.0.1", "0.255.255.255"],
  "private network": [
    ...["10.0.0.0", "10.1.2.3", "10.255.255.255", "172.16.0.0", "172.20.10.1", "172.31.255.255"],
    ...["192.168.0.0", "192.168.1.1", "192.168.255.255"],
  ],
  "carrier-grade NAT": ["100.64.0.0", "100.100.100.199", "100.127.255.255"],
  loopback: ["127.0.0.0", "127.0.0.1", "127.8.8.8", "127.255.255.255", "::1", "0:0:0:0:0:0:0:1"],
  "link-local": ["169.254.0.0", "169.254.0.23", "169.254.170.2", "169.254.255.255", "fe80::", "fe80::1"],
  "cloud metadata": [
    ...["169.254.169.254", "100.100.100.200", "192.80.8.124", "192.0.0.192"],
    ...["fd00:ec2::254", "fd20:ce::254"],
  ],
  "cloud platform services": ["168.63.129.16"],
  "IETF protocol assignments": [
    ...["192.0.0.0", "192.0.0.1", "192.0.0.8", "192.0.0.9", "192.0.0.10", "192.0.0.170", "192.0.0.171"],
    ...["192.0.0.255", "2001:1::1", "2001:1::2", "2001:1::3", "2001:3::1", "2001:4:112::1", "2001:1ff::1"],
  ],
  documentation: [
    ...["192.0.2.0", "192.0.2.255", "198.51.100.0", "198.51.100.77", "198.51.100.255"],
    ...["203.0.113.0", "203.0.113.255", "2001:db8::", "2001:db8::1", "2001:db8:ffff:ffff::1"],
    ...["3fff::", "3fff::1", "3fff:fff:ffff::1"],
  ],
  AS112: ["192.31.196.0", "192.31.196.255", "192.175.48.1", "192.175.48.255", "2620:4f:8000::42"],
  "multicast tunnelling (AMT)": ["192.52.193.0", "192.52.193.255"],
  "6to4 relay (deprecated)": ["192.88.99.0", "192.88.99.1", "192.88.99.2", "192.88.99.255"],
  benchmarking: ["198.18.0.0", "198.19.0.1", "198.19.255.255", "2001:2::", "2001:2:0:ffff::1"],
  multicast: ["224.0.0.0", "224.0.0.251", "239.255.255.255", "ff00::", "ff02::1", "ff0e::1", "ffff::1"],
  reserved: ["240.0.0.0", "250.1.2.3", "255.255.255.254"],
  broadcast: ["255.255.255.255"],
  unspecified: ["::", "0:0:0:0:0:0:0:0"],
  "IPv4-mapped": [
    ...["::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:8.8.8.8"],
    ...["0:0:0:0:0:ffff:7f00:1", "::FFFF:192.168.0.1"],
  ],
  "IPv4-translated": ["::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8"],
  "IPv4-compatible (deprecated)": ["::127.0.0.1", "::7f00:1", "::10.0.0.1", "::8.8.8.8", "::2"],
  NAT64: ["64:ff9b::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::10.0.0.1", "64:ff9b::8.8.8.8", "64:ff9b::"],
  "local NAT64": ["64:ff9b:1::", "64:ff9b:1::10.0.0.1", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"],
  "discard-only": ["100::", "100::1", "100::ffff:ffff:ffff:ffff"],
  "dummy prefix": ["100:0:0:1::", "100:0:0:1::1"],
  Teredo: ["2001::", "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"],
  "ORCHID (deprecated)": ["2001:10::", "2001:1f::1"],
  ORCHIDv2: ["2001:20::", "2001:2f::1"],
  "drone remote ids": ["2001:30::", "2001:3f::1"],
  "6to4": ["2002::", "2002:7f00:1::", "2002:a00:1::1", "2002:808:808::1", "2002:ffff::1"],
  "6bone (returned)": ["3ffe::1"],
  "segment routing (SRv6)": ["5f00::", "5f00::1", "5f00:ffff::1"],
  "unique local network": ["fc00::", "fc00::1", "fd12:3456:789a::1", "fdff:ffff::1"],
  "site-local (deprecated)": ["fec0::", "fec0::1", "feff:ffff::1"],
  "ISATAP tunnel": ["2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:7f00:1", "2a00::5efe:8.8.8.8"],
  "outside global unicast (2000::/3)": [
    ...["::1:0:0", "64:ff9a::1", "64:ff9b:2::1", "100:0:0:2::1", "200::1", "400::1", "1000::1", "1fff::1"],
    ...["4000::1", "5eff::1", "8000::1", "c000::1", "e000::1", "fbff::1", "fe00::1"],
  ],
  "unreadable address": ["", "localhost", "1.2.3", "1.2.3.4.5", "01.2.3.4", "fe80::1%eth0", "::g", "1::2::3"],
};

const routable = [
  ...["1.0.0.0", "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "93.184.216.34"],
  ...["100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0", "168.63.129.15", "168.63.129.17"],
  ...["169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0"],
  ...["192.0.3.0", "192.31.195.255", "192.31.197.0", "192.88.98.255", "192.88.100.0", "192.167.255.255"],
  ...["192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255"],
  ...["203.0.114.0", "223.255.255.255", "2000::1", "2001:200::1", "2001:4860:4860::8888"],
  ...["2001:db7:ffff::1", "2001:db9::1", "2001:ffff::1", "2003::1", "2606:4700:4700::1111"],
  // Each differs from an ISATAP tunnel in one byte.
  ...[
    "2606:4700::100:5efe:a00:1",
    "2606:4700::1:5efe:a00:1",
    "2606:4700::5ffe:a00:1",
    "2606:4700::5eff:a00:1",
  ],
  ...["2620:4f:7fff::1", "2620:4f:8001::1", "2a00:1450::200e", "2c0f:fb50::1", "3ffd::1", "3fff:1000::1"],
];

describe("an address", () => {
  test.each(Object.entries(special).flatMap(([network, list]) => list.map((address) => [address, network])))(
    "%s is refused as %s",
    (address, network) => expect(refusedAs(address)).toBe(network),
  );

  test.each(routable)("%s is publicly routable", (address) => expect(refusedAs(address)).toBeUndefined());

  test("inside any special network is refused, wherever in it", () => {
    const inside = fc
      .tuple(fc.constantFrom(...specialNetworks), fc.uint8Array({ minLength: 16, maxLength: 16 }))
      .map(([network, noise]) =>
        addressText(network.bytes.map((byte, i) => mix(network.bits, byte, noise[i], i))),
      );
    fc.assert(
      fc.property(inside, (address) => {
        expect(refusedAs(address)).toBeDefined();
      }),
      { numRuns: 500 },
    );
  });

  test("is parsed alike, however its zeros are written", () => {
    const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(bytes, (address) => {
        const text = addressText(address);
        const short = new URL(`https://[${text}]/`).hostname.slice(1, -1);
        expect(parseAddress(text)?.bytes).toEqual(address);
        expect(parseAddress(short)?.bytes).toEqual(address);
      }),
    );
  });
});

describe("a policy", () => {
  const allowing = (text: string) => ({ allowLoopback: false, allowNetworks: parseNetworks(text) });

  test("allows loopback for development, and nothing else", () => {
    const development = { allowLoopback: true, allowNetworks: [] };
    for (const address of ["127.0.0.1", "127.9.9.9", "::1"]) {
      expect(refusedAs(address, development)).toBeUndefined();
    }
    for (const address of ["10.0.0.1", "0.0.0.0", "::ffff:127.0.0.1", "169.254.169.254", "::"]) {
      expect(refusedAs(address, development)).toBeDefined();
    }
  });

  test("allows the networks of the operator, and not their neighbours", () => {
    const policy = allowing("10.1.0.0/16, fd12::/16\n192.168.7.7/32");
    for (const address of ["10.1.0.0", "10.1.255.255", "fd12::5", "192.168.7.7"]) {
      expect(refusedAs(address, policy)).toBeUndefined();
    }
    for (const address of ["10.0.255.255", "10.2.0.0", "fd13::5", "192.168.7.8", "127.0.0.1"]) {
      expect(refusedAs(address, policy)).toBeDefined();
    }
  });

  test("never allows metadata services or addresses that embed another, however wide its networks", () => {
    const everything = allowing("0.0.0.0/0 ::/0");
    for (const address of [
      "169.254.169.254",
      "100.100.100.200",
      "fd00:ec2::254",
      "::ffff:10.0.0.1",
      "0.0.0.0",
      "2606:4700::5efe:10.0.0.1",
      "4000::1",
    ]) {
      expect(refusedAs(address, everything)).toBeDefined();
    }
    expect(refusedAs("10.0.0.1", everything)).toBeUndefined();
  });

  test.each([
    ...["10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0.1/8", "fe80::1%lo/64", "x/8", "10.0.0.0/", "/8"],
    ...["10.0.0.0/8/8", "8/10.0.0.0/8", "10.0.0.0/8x"],
  ])("that lists %j is refused with what to write", (text) =>
    expect(() => parseNetworks(text)).toThrow(/write/),
  );

  test("lists nothing if its setting is empty, and ignores what separates", () => {
    expect(parseNetworks("")).toEqual([]);
    expect(parseNetworks(" 10.0.0.0/8,, ::/0\n").map(({ text }) => text)).toEqual(["10.0.0.0/8", "::/0"]);
  });

  test("compares networks of one family only", () => {
    const address = parseAddress("::a00:1");
    expect(address && contains(parseNetwork("10.0.0.0/8"), address)).toBe(false);
  });
});

function mix(bits: number, fixed: number, noise = 0, index = 0): number {
  const kept = Math.min(8, Math.max(0, bits - index * 8));
  const mask = (0xff00 >> kept) & 0xff;
  return (fixed & mask) | (noise & ~mask & 0xff);
}

function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  const hex = Buffer.from(bytes).toString("hex");
  return hex.replace(/.{4}(?!$)/g, "$&:");
}
