import type { ByteReader, ByteWriter } from "./byte-writer.ts";

const snapshotPattern = /^(\d+):(\d+):((?:\d+(?:,\d+)*)?)$/;

/**
 * Writes a Postgres snapshot (`xmin:xmax:xip,…`) delta-encoded. The ids of transactions in progress are close together,
 * so each takes a few bytes.
 */
export function writeSnapshot(writer: ByteWriter, snapshot: string): void {
  const [, xmin = "", xmax = "", list = ""] = snapshotPattern.exec(snapshot) ?? [];
  if (!xmin) throw new Error("This is not a Postgres snapshot.");
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
