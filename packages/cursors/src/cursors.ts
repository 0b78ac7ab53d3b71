import { createHash } from "node:crypto";
import { type Sealer, UnsealError } from "@querybell/sealing";
import { ByteReader, ByteWriter } from "./byte-writer.ts";
import { CursorError } from "./cursor-error.ts";
import { readSnapshot, writeSnapshot } from "./snapshot.ts";

/** What a cursor is good for: another list, organization or filter never opens it. */
export interface Sequence {
  list: string;
  organizationId: string;
  /** Whatever narrows the list, in one fixed spelling; empty when nothing does. */
  filter: string;
}

/** The last item of a page: the next one begins after it. */
export interface Key {
  createdAt: Date;
  id: string;
}

/** Where a sequence that sees one moment stands. */
export interface SnapshotPosition {
  /** Postgres's `pg_current_snapshot()` of the first page. */
  snapshot: string;
  /** Of the database whose transaction numbers the snapshot holds: in another one they mean something else. */
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
// Old versions of rows are kept for seven days; a sequence must end before they go.
const sequenceValidForMs = 6 * 24 * hourMs;

const kinds = { snapshot: 1n, live: 2n };

/**
 * Opaque, sealed, expiring cursors. A cursor carries a position and no authority: whoever presents one
 * needs the same rights as for the first page.
 */
export function createCursors({ sealer, clock }: CursorsOptions) {
  const seal = (sequence: Sequence, writer: ByteWriter) => sealer.seal(purposeOf(sequence), writer.toBytes());

  const open = (sequence: Sequence, cursor: string, kind: bigint) => {
    const reader = new ByteReader(unseal(sealer, sequence, cursor));
    if (reader.number() !== kind) throw invalid();
    const issuedAt = Number(reader.number());
    if (clock.now().getTime() - issuedAt > validForMs) throw cursorExpired();
    return reader;
  };

  const begin = (kind: bigint, { createdAt, id }: Key) =>
    new ByteWriter().number(kind).number(clock.now().getTime()).number(createdAt.getTime()).text(id);

  const readKey = (reader: ByteReader): Key => ({
    createdAt: new Date(Number(reader.number())),
    id: reader.text(),
  });

  return {
    /** For lists that show one moment however long the paging takes. */
    sealSnapshot(sequence: Sequence, position: SnapshotPosition): string {
      const { snapshot, databaseIdentity, startedAt, after } = position;
      const writer = begin(kinds.snapshot, after).number(startedAt.getTime()).text(databaseIdentity);
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

    /** For lists that show what there is now: items that come or go while paging do so here too. */
    sealLive(sequence: Sequence, after: Key): string {
      return seal(sequence, begin(kinds.live, after));
    },

    openLive(sequence: Sequence, cursor: string): Key {
      return readKey(open(sequence, cursor, kinds.live));
    },
  };
}

/** The filter may be long and is not secret: its hash binds the cursor just as well. */
const purposeOf = ({ list, organizationId, filter }: Sequence): string =>
  `cursor:${list}:${organizationId}:${createHash("sha256").update(filter).digest("base64url")}`;

function unseal(sealer: Sealer, sequence: Sequence, cursor: string): Uint8Array {
  try {
    return sealer.open(purposeOf(sequence), cursor);
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

/** Also for whoever finds that the cursor is from another database. */
export const cursorExpired = () =>
  new CursorError("cursor_expired", "This cursor's time is over. Start a new sequence without a cursor.");
