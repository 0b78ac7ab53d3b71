import { ChangedRowsPart, changedRowsLimits } from "@querybell/domain/changed-rows";
import type { JsonValue } from "@querybell/domain/results";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChangedRow, Fact } from "../evaluate/outcomes.ts";
import { writeChangedRows } from "./changed-rows.ts";

const fields = [
  { name: "id", type: "integer" as const },
  { name: "value", type: "json" as const },
];
const table = { fields, rows: [], cut: false };
const results = { result: table, base: table };
const factOf = (rows: readonly ChangedRow[]): Fact => ({ kind: "rows", name: "changed", key: ["id"], rows });
const changed = (id: number, now: JsonValue, before: JsonValue): ChangedRow => ({
  ...{ change: "changed", key: [id] },
  ...{ now: [id, now], before: [id, before] },
});
const read = (rows: readonly ChangedRow[]) => {
  const written = writeChangedRows([factOf(rows)], results);
  const parts = (written?.parts ?? []).map((part) => ChangedRowsPart.parse(JSON.parse(part.toString())));
  const most = Math.max(0, ...(written?.parts ?? []).map(({ length }) => length));
  return { counts: written?.counts, parts, most, rows: parts.flatMap((part) => part.rows) };
};
const maxBytes = changedRowsLimits.bytesOfPart - changedRowsLimits.bytesOfEnvelope;

describe("changed rows in parts", () => {
  test("whatever their sizes, each row is in one part, in order, and only what does not fit is left out", () => {
    const size = fc.oneof(fc.nat(50), fc.integer({ min: 100_000, max: 300_000 }));
    const letter = fc.constantFrom("a", "ä", '"', "\0", "\ud800", "😀");
    fc.assert(
      fc.property(fc.array(fc.tuple(size, size, letter), { minLength: 1, maxLength: 8 }), (sizes) => {
        const given = sizes.map(([now, before, letters], id) =>
          changed(id, letters.repeat(now), letters.repeat(before)),
        );
        const { counts, rows, most } = read(given);
        expect(counts).toEqual({ entered: 0, left: 0, changed: given.length, omittedRows: 0 });
        expect(most).toBeLessThanOrEqual(maxBytes);
        expect(rows.map(({ key }) => key)).toEqual(given.map(({ key }) => key));
        for (const [at, row] of rows.entries()) {
          const original = given[at];
          const cells = [...(original?.now ?? []), ...(original?.before ?? [])];
          const left = [...(row.now ?? []), ...(row.before ?? [])];
          const omitted = [
            ...(row.omittedCells?.now ?? []),
            ...(row.omittedCells?.before ?? []).map((column) => column + 2),
          ];
          expect(left).toEqual(cells.map((cell, column) => (omitted.includes(column) ? null : cell)));
          const isSmall = Buffer.byteLength(JSON.stringify(original)) < maxBytes - 1_000;
          expect(row.omittedCells === null || !isSmall).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });

  test("a cell that is nested deeper than parsers read is left out", () => {
    const nested = (levels: number): JsonValue => (levels === 0 ? 1 : [nested(levels - 1)]);
    const { rows } = read([changed(1, nested(50), nested(5_000)), changed(2, nested(100), 0)]);
    expect(rows).toEqual([
      {
        ...{ change: "changed", key: [1], now: [1, nested(50)], before: [1, null] },
        omittedCells: { key: [], now: [], before: [1] },
      },
      { change: "changed", key: [2], now: [2, nested(100)], before: [2, 0], omittedCells: null },
    ]);
  });

  test("rows of results whose columns alone are too large for events are counted, and not told", () => {
    const wide = Array.from({ length: 2_500 }, (_, at) => ({
      name: `column ${at}`,
      type: "integer" as const,
    }));
    const written = writeChangedRows([factOf([changed(1, 1, 2)])], {
      ...{ base: table, result: { ...table, fields: wide } },
    });
    expect(written?.counts).toEqual({ entered: 0, left: 0, changed: 1, omittedRows: 1 });
    expect(written?.parts.map((part) => JSON.parse(part.toString()).rows)).toEqual([[]]);
  });
});
