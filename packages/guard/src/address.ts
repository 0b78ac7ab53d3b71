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
