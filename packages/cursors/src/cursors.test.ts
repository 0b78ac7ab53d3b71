import { createSealer, generateKey, parseKeyring, UnsealError } from "@querybell/sealing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Cursors, createCursors, type Sequence } from "./cursors.ts";

const oldKey = generateKey("k1");
const newKey = generateKey("k2");
const start = Date.parse("2026-11-15T12:00:00.000Z");
const hour = 3_600_000;

function cursorsAt(time: number, { keys = oldKey } = {}): Cursors {
  return createCursors({
    sealer: createSealer(parseKeyring(keys)),
    clock: { now: () => new Date(time) },
  });
}

const sequence: Sequence = { list: "references", organizationId: "0193-a", filter: "" };
const position = {
  snapshot: "100:105:100,103",
  databaseIdentity: "7391.00000001",
  startedAt: new Date(start),
  after: { createdAt: new Date(start - 5000), id: "0193-b" },
};
const cursor = cursorsAt(start).sealSnapshot(sequence, position);
const invalid = expect.objectContaining({ code: "invalid_cursor" });
const expired = expect.objectContaining({ code: "cursor_expired" });
const refusal = (open: () => unknown): unknown => {
  try {
    return open();
  } catch (error) {
    return error;
  }
};

describe("a snapshot cursor", () => {
  test("gives back any position, whatever the transactions in progress", () => {
    const anySnapshot = fc
      .tuple(fc.bigInt(3n, 2n ** 63n), fc.uniqueArray(fc.bigInt(0n, 2n ** 40n), { maxLength: 200 }))
      .map(([xmin, offsets]) => {
        const inProgress = offsets.map((offset) => xmin + offset).sort((a, b) => (a < b ? -1 : 1));
        const xmax = (inProgress.at(-1) ?? xmin) + 1n;
        return `${inProgress[0] ?? xmin}:${xmax}:${inProgress.join(",")}`;
      });
    fc.assert(
      fc.property(
        anySnapshot,
        fc.date({ min: new Date(0), noInvalidDate: true }),
        fc.string(),
        (snapshot, createdAt, id) => {
          const cursors = cursorsAt(start);
          const sealed = cursors.sealSnapshot(sequence, { ...position, snapshot, after: { createdAt, id } });
          expect(cursors.openSnapshot(sequence, sealed)).toEqual({
            ...position,
            snapshot,
            after: { createdAt, id },
          });
        },
      ),
    );
  });

  test("stays short on a busy server", () => {
    const busy = Array.from({ length: 100 }, (_, n) => 5_000_000_000 + n * 3).join(",");
    const sealed = cursorsAt(start).sealSnapshot(sequence, {
      ...position,
      snapshot: `5000000000:5000000400:${busy}`,
    });
    expect(sealed.length).toBeLessThan(400);
  });

  test.each<[string, Sequence]>([
    ["list", { ...sequence, list: "queries" }],
    ["organization", { ...sequence, organizationId: "0193-c" }],
    ["filter", { ...sequence, filter: "status=failed" }],
  ])("of another %s is invalid", (_what, other) => {
    expect(refusal(() => cursorsAt(start).openSnapshot(other, cursor))).toEqual(invalid);
  });

  test("with any character changed, cut or added is invalid, and any text is", () => {
    const cursors = cursorsAt(start);
    const open = (text: string) => refusal(() => cursors.openSnapshot(sequence, text));
    for (let at = 0; at < cursor.length; at++) {
      expect(open(cursor.slice(0, at))).toEqual(invalid);
      expect(open(cursor.slice(0, at) + (cursor[at] === "A" ? "B" : "A") + cursor.slice(at + 1))).toEqual(
        invalid,
      );
    }
    fc.assert(fc.property(fc.string(), (text) => void expect(open(text)).toEqual(invalid)));
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => void expect(open(cursor + text)).toEqual(invalid)),
    );
  });

  test("is only made of a snapshot of Postgres", () => {
    for (const snapshot of ["", "x100:105:", "100:105", "100:105:1x", "100:105:100,", "100:x:", ":105:"]) {
      const seal = () => cursorsAt(start).sealSnapshot(sequence, { ...position, snapshot });
      expect(seal, snapshot).toThrow("This is not a Postgres snapshot.");
    }
  });

  test("works for 24 hours and not a second longer", () => {
    expect(cursorsAt(start + 24 * hour).openSnapshot(sequence, cursor)).toEqual(position);
    expect(refusal(() => cursorsAt(start + 24 * hour + 1000).openSnapshot(sequence, cursor))).toEqual(
      expired,
    );
  });

  test("of a sequence that began more than six days ago has expired, however new it is", () => {
    const later = start + 6 * 24 * hour;
    const sealed = cursorsAt(later).sealSnapshot(sequence, position);
    expect(cursorsAt(later).openSnapshot(sequence, sealed)).toEqual(position);
    expect(refusal(() => cursorsAt(later + 1).openSnapshot(sequence, sealed))).toEqual(expired);
  });

  test("survives a rotation of the keys, until the old key is dropped", () => {
    const both = cursorsAt(start, { keys: `${newKey},${oldKey}` });
    expect(both.openSnapshot(sequence, cursor)).toEqual(position);
    const without = cursorsAt(start, { keys: newKey });
    expect(refusal(() => without.openSnapshot(sequence, cursor))).toEqual(invalid);
  });
});

describe("the error of a cursor", () => {
  test("has its name and, for the log, its cause", () => {
    const error = refusal(() => cursorsAt(start).openLive(sequence, "no cursor"));
    expect(error).toMatchObject({ name: "CursorError", cause: expect.any(UnsealError) });
  });

  test("does not stand for a failure of another kind", () => {
    const broken = () => {
      throw new Error("out of order");
    };
    const sealer = { ...createSealer(parseKeyring(oldKey)), open: broken };
    const cursors = createCursors({ sealer, clock: { now: () => new Date(start) } });
    expect(() => cursors.openLive(sequence, cursor)).toThrow("out of order");
  });
});

describe("a sorted cursor", () => {
  const key = ["größe", "2026-11-15 12:00:00+00", ""];
  const sorted = cursorsAt(start).sealSorted(sequence, key);

  test("gives back the texts of its key for 24 hours", () => {
    expect(cursorsAt(start + 24 * hour).openSorted(sequence, sorted)).toEqual(key);
    expect(refusal(() => cursorsAt(start + 24 * hour + 1).openSorted(sequence, sorted))).toEqual(expired);
  });

  test("is taken for no other, and no other for it", () => {
    expect(refusal(() => cursorsAt(start).openLive(sequence, sorted))).toEqual(invalid);
    expect(refusal(() => cursorsAt(start).openSorted(sequence, cursor))).toEqual(invalid);
  });
});

describe("a live cursor", () => {
  const live = cursorsAt(start).sealLive(sequence, position.after);

  test("gives back its key for 24 hours", () => {
    expect(cursorsAt(start + 24 * hour).openLive(sequence, live)).toEqual(position.after);
    expect(refusal(() => cursorsAt(start + 24 * hour + 1).openLive(sequence, live))).toEqual(expired);
  });

  test("and a snapshot cursor are never taken for each other", () => {
    expect(refusal(() => cursorsAt(start).openSnapshot(sequence, live))).toEqual(invalid);
    expect(refusal(() => cursorsAt(start).openLive(sequence, cursor))).toEqual(invalid);
  });
});
