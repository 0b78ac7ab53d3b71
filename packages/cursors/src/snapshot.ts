import type { ByteReader, ByteWriter } from "./byte-writer.ts";

const form = /^(\d+):(\d+):((?:\d+(?:,\d+)*)?)$/;

/**
 * A snapshot of Postgres (`xmin:xmax:xip,…`) as differences: the transactions in progress lie close
 * together, so a busy server's snapshot stays a few bytes for each of them.
 */
export function writeSnapshot(writer: ByteWriter, snapshot: string): void {
  const [, xmin = "", xmax = "", list = ""] = form.exec(snapshot) ?? [];
  if (!xmin) throw new Error("That is no snapshot of Postgres.");
  const inProgress = list === "" ? [] : list.split(",").map(BigInt);
  writer
    .number(BigInt(xmin))
    .number(BigInt(xmax) - BigInt(xmin))
    .number(inProgress.length);
  let last = BigInt(xmin);
  for (const xid of inProgress) {
    writer.number(xid - last);
    last = xid;
  }
}

export function readSnapshot(reader: ByteReader): string {
  const xmin = reader.number();
  const xmax = xmin + reader.number();
  const inProgress: bigint[] = [];
  let last = xmin;
  for (let left = reader.number(); left > 0n; left--) {
    last += reader.number();
    inProgress.push(last);
  }
  return `${xmin}:${xmax}:${inProgress.join(",")}`;
}
