import { GroupRows, splitLimits } from "@querybell/summaries/operations";
import type { ResultTable } from "@querybell/summaries/result-table";
import { expect, test } from "vitest";
import type { ChangedRow, Fact } from "../evaluate/outcomes.ts";
import { splitToldRows } from "./told-rows.ts";

const recipients = { shortId: "chart", column: "manager", where: [], isAddress: true, maxGroups: 10 };

/** The columns and rows that the only recipient gets. */
function tell(result: ResultTable, facts: Fact[]) {
  const charts = new Map([["chart", result]]);
  const found = splitToldRows(recipients, { charts, result, base: result, facts });
  if ("problem" in found) return found;
  return {
    columns: found.columns,
    rows: found.groups.flatMap(({ rows }) => GroupRows.parse(JSON.parse(rows))),
  };
}

const tableOf = (names: string[], row: string[]): ResultTable => ({
  fields: names.map((name) => ({ name, type: "string" })),
  rows: [row],
  cut: false,
});

const factOf = (rows: ChangedRow[]): Fact => ({ kind: "rows", name: "entered", key: ["customer"], rows });

test("a row that several parts of a condition name is sent once", () => {
  const result = tableOf(["manager", "customer"], ["anna@a.test", "Acme"]);
  const [now = []] = result.rows;
  const entered = (): ChangedRow => ({ change: "entered", key: ["Acme"], now, before: null });
  expect(tell(result, [factOf([entered()]), factOf([entered()])])).toEqual({
    columns: ["change", "manager", "customer"],
    rows: [["entered", "anna@a.test", "Acme"]],
  });
});

test("a chart with as many columns as a message has may have changed rows", () => {
  const { columns } = splitLimits;
  const wide = (count: number) => {
    const names = Array.from({ length: count - 1 }, (_, index) => `column ${index}`);
    return tableOf(["manager", ...names], ["anna@a.test", ...names]);
  };
  const telling = (result: ResultTable) =>
    tell(result, [factOf([{ change: "entered", key: [], now: result.rows[0] ?? [], before: null }])]);
  const told = telling(wide(columns));
  expect(told).toMatchObject({ columns: { length: columns + 1 } });
  expect(telling(wide(columns + 1))).toEqual({
    problem: expect.stringContaining(`has ${columns + 1} columns`),
  });
});
