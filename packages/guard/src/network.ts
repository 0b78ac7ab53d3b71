import { isIP } from "node:net";

/** An IP address as its bytes: 4 for IPv4, 16 for IPv6. Two spellings of one address have equal bytes. */
export interface Address {
  text: string;
  bytes: Uint8Array;
}

/** Parses canonical text (`192.0.2.1`, `2001:db8::1`, `::ffff:192.0.2.1`). An address with a zone id is refused. */
export function parseAddress(text: string): Address | undefined {
  if (text.includes("%")) return undefined;
  const family = isIP(text);
  if (family === 4) return { text, bytes: Uint8Array.from(dottedBytes(text)) };
  if (family === 6) return { text, bytes: Uint8Array.from(colonBytes(text)) };
  return undefined;
}

const dottedBytes = (text: string) => text.split(".").map(Number);

function colonBytes(text: string): number[] {
  const [before = "", after] = text.split("::");
  const head = groupBytes(before);
  if (after === undefined) return head;
  const tail = groupBytes(after);
  return [...head, ...new Array<number>(16 - head.length - tail.length).fill(0), ...tail];
}

function groupBytes(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (group.includes(".")) return dottedBytes(group);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

/** A block of addresses: those of the same family that share its first `bits` bits. */
export interface Network {
  text: string;
  bytes: Uint8Array;
  bits: number;
}

/** Parses `10.0.0.0/8` or `fd00::/8`. Throws an error that says what to write instead. */
export function parseNetwork(text: string): Network {
  const [, addressText = "", bitsText = ""] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const address = parseAddress(addressText);
  const bits = Number(bitsText);
  if (!address || bits > address.bytes.length * 8) {
    throw new Error(`"${text}" is not a network: write an address and a prefix length, like 10.0.0.0/8.`);
  }
  const network = { text, bytes: address.bytes, bits };
  if (hasBitsBeyondPrefix(network)) {
    throw new Error(
      `"${text}" has bits set after its first ${bits}: write the first address of the network.`,
    );
  }
  return network;
}

/** Parses networks separated by commas or white space, the format of an operator's setting. */
export function parseNetworks(text: string): Network[] {
  return text
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .map(parseNetwork);
}

export function contains({ bytes, bits }: Network, address: Address): boolean {
  if (bytes.length !== address.bytes.length) return false;
  return bytes.every((byte, index) => {
    const mask = prefixMask(bits - index * 8);
    return (byte & mask) === ((address.bytes[index] ?? 0) & mask);
  });
}

const hasBitsBeyondPrefix = ({ bytes, bits }: Network) =>
  bytes.some((byte, index) => (byte & ~prefixMask(bits - index * 8) & 0xff) !== 0);

/** The mask for the first `bits` bits of a byte. */
function prefixMask(bits: number): number {
  if (bits >= 8) return 0xff;
  return bits <= 0 ? 0 : (0xff << (8 - bits)) & 0xff;
}
