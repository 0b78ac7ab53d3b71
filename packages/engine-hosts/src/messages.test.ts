import { expect, test } from "vitest";
import { HostReport } from "./messages.ts";

const unstorable = "RUN\0NING\ud800";

test("what a host says of a run can be stored, whatever the engine says", () => {
  const engine = { state: unstorable, rowsRead: 1, bytesRead: 1, completedSplits: 1, totalSplits: 1 };
  expect(HostReport.parse({ kind: "progress", id: 1, rows: 1, engine })).toMatchObject({
    engine: { state: "RUNNING\ufffd" },
  });
  const failure = { code: "query_failed", message: unstorable };
  expect(HostReport.parse({ kind: "answer", id: 1, answer: { kind: "failed", failure } })).toMatchObject({
    answer: { failure: { message: "RUNNING\ufffd" } },
  });
});

test("a host cannot say that a table has a name that cannot be stored, or fewer than no rows", () => {
  const table = { name: "sales", columns: [{ name: "a", type: "BIGINT" }], rowCount: 1, bytes: 1 };
  const isTaken = (changed: object) =>
    HostReport.safeParse({
      kind: "answer",
      id: 1,
      answer: { kind: "tables_changed", changed: { renamed: [], hasNamesAsBefore: true, ...changed } },
    }).success;
  expect(isTaken({ table, usedBytes: 1 })).toBe(true);
  expect(isTaken({ table: { ...table, name: unstorable }, usedBytes: 1 })).toBe(false);
  expect(isTaken({ table: { ...table, columns: [{ name: "a", type: unstorable }] }, usedBytes: 1 })).toBe(
    false,
  );
  expect(isTaken({ table: { ...table, rowCount: -1 }, usedBytes: 1 })).toBe(false);
  expect(isTaken({ table, usedBytes: -1 })).toBe(false);
});

test("a host cannot send comments that are longer than they are shown", () => {
  const isTaken = (comment: string) =>
    HostReport.safeParse({
      kind: "list",
      id: 1,
      piece: { list: "comments", items: [["main", "orders", "", comment]] },
    }).success;
  expect(isTaken("x".repeat(500))).toBe(true);
  expect(isTaken("x".repeat(501))).toBe(false);
});
