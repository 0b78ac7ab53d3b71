import { createHash } from "node:crypto";
import { type Sealer, UnsealError } from "@querybell/sealing";
import { ByteReader, ByteWriter } from "./byte-writer.ts";

/** The list that a cursor belongs to. It cannot be opened for another list, organization or filter. */
export interface Sequence {
  list: string;
  organizationId: string;
  /** The filters in a canonical form; empty without filters. */
  filter: string;
}

/** The sort key of the last item of a page. The next page starts after it. */
export interface Key {
  createdAt: Date;
  id: string;
}

/** The position in a list that is read as of one snapshot. */
interface SnapshotPosition {
  /** Postgres's `pg_current_snapshot()` of the first page. */
  snapshot: string;
  /** The database of the snapshot. Transaction ids of another database cannot be compared with it. */
  databaseIdentity: string;
  startedAt: Date;
  after: Key;
}

interface CursorsOptions {
  sealer: Sealer;
  clock: { now(): Date };
}

export type Cursors = ReturnType<typeof createCursors>;

const hourMs = 3_600_000;
const validForMs = 24 * hourMs;
// Old row versions are kept for seven days. A sequence must end before they are deleted.
const sequenceValidForMs = 6 * 24 * hourMs;

const kinds = { snapshot: 1n, live: 2n, sorted: 3n };

/**
 * Opaque, sealed, expiring cursors. A cursor holds a position and grants no access: the caller needs the same rights
 * as for the first page.
 */
export function createCursors({ sealer, clock }: CursorsOptions) {
  const seal = (sequence: Sequence, writer: ByteWriter) => sealer.seal(toPurpose(sequence), writer.toBytes());

  const open = (sequence: Sequence, cursor: string, kind: bigint) => {
    const reader = new ByteReader(unseal(sealer, sequence, cursor));
    if (reader.number() !== kind) throw invalid();
    const issuedAt = Number(reader.number());
    if (clock.now().getTime() - issuedAt > validForMs) throw cursorExpired();
    return reader;
  };

  const writeKey = (kind: bigint, { createdAt, id }: Key) =>
    new ByteWriter().number(kind).number(clock.now().getTime()).number(createdAt.getTime()).text(id);

  const readKey = (reader: ByteReader): Key => ({
    createdAt: new Date(Number(reader.number())),
    id: reader.text(),
  });

  return {
    /** For lists whose pages all show the same snapshot. */
    sealSnapshot(sequence: Sequence, position: SnapshotPosition): string {
      const { snapshot, databaseIdentity, startedAt, after } = position;
      const writer = writeKey(kinds.snapshot, after).number(startedAt.getTime()).text(databaseIdentity);
      writeSnapshot(writer, snapshot);
      return seal(sequence, writer);
    },

    openSnapshot(sequence: Sequence, cursor: string): SnapshotPosition {
      const reader = open(sequence, cursor, kinds.snapshot);
      const after = readKey(reader);
      const startedAt = new Date(Number(reader.number()));
      if (clock.now().getTime() - startedAt.getTime() > sequenceValidForMs) throw cursorExpired();
      const databaseIdentity = reader.text();
      return { snapshot: readSnapshot(reader), databaseIdentity, startedAt, after };
    },

    /** For live lists: items created or deleted during paging appear or disappear. */
    sealLive(sequence: Sequence, after: Key): string {
      return seal(sequence, writeKey(kinds.live, after));
    },

    openLive(sequence: Sequence, cursor: string): Key {
      return readKey(open(sequence, cursor, kinds.live));
    },

    /** For live lists in other orders: the sort key of the last item, as texts. */
    sealSorted(sequence: Sequence, after: readonly string[]): string {
      const writer = new ByteWriter().number(kinds.sorted).number(clock.now().getTime()).number(after.length);
      for (const part of after) writer.text(part);
      return seal(sequence, writer);
    },

    openSorted(sequence: Sequence, cursor: string): string[] {
      const reader = open(sequence, cursor, kinds.sorted);
      return Array.from({ length: Number(reader.number()) }, () => reader.text());
    },
  };
}

/** Contains a hash of the filter, because the filter may be long. */
function toPurpose({ list, organizationId, filter }: Sequence): string {
  const hash = createHash("sha256").update(filter).digest("base64url");
  return `cursor:${list}:${organizationId}:${hash}`;
}

function unseal(sealer: Sealer, sequence: Sequence, cursor: string): Uint8Array {
  try {
    return sealer.open(toPurpose(sequence), cursor);
  } catch (error) {
    if (error instanceof UnsealError) throw invalid(error);
    throw error;
  }
}

const invalid = (cause?: unknown) =>
  new CursorError(
    "invalid_cursor",
    "This cursor was not made for this list. Send the nextCursor of the page before, unchanged, with the same filter.",
    { cause },
  );

/** Also thrown by callers that find that the cursor is of another database. */
export const cursorExpired = () =>
  new CursorError("cursor_expired", "This cursor's time is over. Start a new sequence without a cursor.");

const snapshotPattern = /^(\d+):(\d+):((?:\d+(?:,\d+)*)?)$/;

/**
 * Writes a Postgres snapshot (`xmin:xmax:xip,…`) delta-encoded. The ids of transactions in progress are close together,
 * so each takes a few bytes.
 */
function writeSnapshot(writer: ByteWriter, snapshot: string): void {
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

function readSnapshot(reader: ByteReader): string {
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

/** A cursor that cannot be used: invalid for this list, or expired. */
export class CursorError extends Error {
  override readonly name = "CursorError";
  readonly code: "invalid_cursor" | "cursor_expired";

  constructor(code: CursorError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
