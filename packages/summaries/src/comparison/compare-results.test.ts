import { gunzipSync, gzipSync } from "node:zlib";
import type { Comparison, ComparisonTask } from "@querybell/domain/comparisons";
import type { JsonValue } from "@querybell/domain/results";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compareResults } from "./compare-results.ts";

interface Result {
  fields: [name: string, type: string][];
  rows: JsonValue[][];
}

const toJson = ({ fields, rows }: Result) =>
  JSON.stringify({ fields: fields.map(([name, type]) => ({ name, type })), rows, rowCount: rows.length });

async function compare(before: Result, after: Result, key: ComparisonTask["key"] = null) {
  const jsons = [toJson(before), toJson(after)];
  const chunks: Uint8Array[] = [];
  const outcome = await compareResults(
    [gzipSync(jsons[0] ?? ""), Buffer.from(jsons[1] ?? "")],
    {
      key,
      rowCounts: [before.rows.length, after.rows.length],
      jsonBytes: jsons.map((json) => Buffer.byteLength(json)),
      writesFile: true,
    },
    async (bytes) => {
      chunks.push(bytes);
    },
  );
  const text = gunzipSync(Buffer.concat(chunks)).toString();
  return {
    outcome,
    file: text === "" ? null : (JSON.parse(text) as { rows: JsonValue[][]; rowCount: number }),
  };
}

const compared = async (...given: Parameters<typeof compare>): Promise<Comparison> => {
  const { outcome } = await compare(...given);
  if (outcome.kind !== "compared") throw new Error(outcome.reason);
  return outcome.comparison;
};

const fields: Result["fields"] = [
  ["id", "integer"],
  ["name", "string"],
  ["amount", "decimal"],
];

test("rows that were added, removed and changed are found by a key, with the cells that changed", async () => {
  const before = {
    fields,
    rows: [
      [1, "a", "1.10"],
      [2, 'b"],', "2.00"],
      [3, "c", null],
    ],
  };
  const after = {
    fields,
    rows: [
      [4, "d", "0.05"],
      [3, "c", "9007199254740993.1"],
      [1, "a", "1.10"],
    ],
  };
  expect(await compared(before, after)).toMatchObject({
    ...{ key: ["id"], added: 1, removed: 1, changed: 1, unchanged: 1, hasMoreRows: false },
    columns: [
      { name: "id", changedCells: 0 },
      { name: "name", changedCells: 0, sumChange: null },
      { name: "amount", changedCells: 1, sumChange: "9007199254740991.15" },
    ],
    rows: [
      { change: "added", cells: ["4", "d", "0.05"], before: [] },
      { change: "changed", cells: ["3", "c", "9007199254740993.1"], before: [{ column: 2, cell: null }] },
      { change: "removed", cells: ["2", 'b"],', "2.00"], before: [] },
    ],
  });
  const { file } = await compare(before, after);
  expect(file?.rows).toEqual([
    ["added", 4, "d", null, "0.05", null],
    ["changed", 3, "c", null, "9007199254740993.1", null],
    ["removed", 2, 'b"],', null, "2.00", null],
  ]);
});

test("a chosen key that is not unique or does not exist is refused, with what to do", async () => {
  const before = {
    fields,
    rows: [
      [1, "a", "1"],
      [2, "a", "1"],
    ],
  };
  const refused = async (key: string[]) => (await compareRefused(before, key)).reason;
  expect(await refused(["name"])).toBe(
    'The key is not unique: more than one row of the newer result has "a". Choose other columns.',
  );
  expect(await refused(["nothing"])).toContain('There is no column called "nothing"');
  expect((await compared(before, before, ["name", "id"])).key).toEqual(["name", "id"]);

  async function compareRefused(result: Result, key: string[]) {
    const json = toJson(result);
    const sizes = { rowCounts: [2, 2], jsonBytes: [json.length, json.length], writesFile: false };
    const outcome = await compareResults(
      [Buffer.from(json), Buffer.from(json)],
      { key, ...sizes },
      async () => {},
    );
    if (outcome.kind !== "refused") throw new Error("It was compared.");
    return outcome;
  }
});

test("without a key, equal rows are counted; columns that came or went are named", async () => {
  const double = { fields: fields.slice(1, 2), rows: [["a"], ["a"], ["b"]] };
  expect(await compared(double, { ...double, rows: [["a"], ["c"]] })).toMatchObject({
    ...{ key: [], added: 1, removed: 2, changed: 0, unchanged: 1 },
  });
  const other: Result = {
    fields: [
      ["name", "string"],
      ["id", "string"],
      ["new", "json"],
    ],
    rows: [["a", "1", {}]],
  };
  const { columns, changed } = await compared({ fields, rows: [["1", "a", "5"]] }, other, ["name"]);
  expect(columns.map(({ name, state }) => [name, state])).toEqual([
    ["name", "same"],
    ["id", "other_type"],
    ["new", "added"],
    ["amount", "removed"],
  ]);
  expect(changed).toBe(0);
  expect(await compared({ fields, rows: [] }, { fields, rows: [] })).toMatchObject({
    added: 0,
    unchanged: 0,
  });
});

test("what is not a result fails", async () => {
  for (const text of [
    "",
    "{}",
    '{"fields":[],"rows":[',
    '{"fields":[{"name":"a","type":"json"}],"rows":[[1,2]],"rowCount":1}',
  ]) {
    const input = () => Buffer.from(text);
    const sizes = { rowCounts: [1, 1], jsonBytes: [text.length, text.length], writesFile: false };
    await expect(
      compareResults([input(), input()], { key: null, ...sizes }, async () => {}),
    ).rejects.toThrow();
  }
});

const cell = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.constant(null),
  fc.json().map((text) => JSON.parse(text) as JsonValue),
);

test("the differences lead from any result to any other", async () => {
  const rows = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 30 }), cell, cell), {
    selector: ([id]) => id,
  });
  await fc.assert(
    fc.asyncProperty(rows, rows, async (before, after) => {
      const key = ["id"];
      const { outcome, file } = await compare({ fields, rows: before }, { fields, rows: after }, key);
      if (outcome.kind !== "compared") throw new Error(outcome.reason);
      const byId = new Map(before.map((row) => [JSON.stringify(row[0]), JSON.stringify(row)]));
      for (const [change, id, name, , amount] of file?.rows ?? []) {
        if (change === "removed") byId.delete(JSON.stringify(id));
        else byId.set(JSON.stringify(id), JSON.stringify([id, name, amount]));
      }
      expect([...byId.values()].toSorted()).toEqual(after.map((row) => JSON.stringify(row)).toSorted());
      const { added, removed, changed, unchanged } = outcome.comparison;
      expect([added + changed + unchanged, removed + changed + unchanged]).toEqual([
        after.length,
        before.length,
      ]);
    }),
    { numRuns: 60 },
  );
});
