import { type Address, parseAddress } from "./address.ts";

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
