import { parseJsxConfig } from "@querybell/domain/jsx-config";
import { expect, test } from "vitest";
import type { ChartSettings } from "./chart-settings.ts";
import { elementToSettings } from "./element-to-settings.ts";
import { keepRest } from "./keep-rest.ts";
import { settingsToElement } from "./settings-to-element.ts";
import { readTable, writeTable } from "./table-settings.ts";

const before = parseJsxConfig(`
  <LineChart>
    <CartesianGrid strokeDasharray="1 5" vertical={false} horizontal={true} />
    <XAxis dataKey="month" angle={-30} />
    <YAxis />
    <Tooltip />
    <Line dataKey="revenue" stroke="#b87d10" strokeDasharray="4 2" dot={false} />
    <Line dataKey="cost" stroke="#3b6fb5" dot={false} />
    <ReferenceArea x1="2026-01-01" x2="2026-02-01" />
  </LineChart>`);

/** The text after a change in the builder. */
function change(changes: Partial<ChartSettings>) {
  const { settings } = elementToSettings("line", before);
  const written = settingsToElement({ ...settings, ...changes });
  if (!written) throw new Error("It is a table.");
  return keepRest(written, "line", before);
}

const partOf = (root: ReturnType<typeof change>, name: string, dataKey?: string) =>
  root.children.find((child) => child.name === name && (!dataKey || child.props.dataKey === dataKey));

test("a change in the builder keeps what only the text says", () => {
  const changed = change({ valueLabel: "Money", goal: 5 });
  expect(partOf(changed, "YAxis")?.props.label).toBe("Money");
  expect(partOf(changed, "ReferenceLine")?.props.y).toBe(5);
  expect(partOf(changed, "Line", "revenue")?.props.strokeDasharray).toBe("4 2");
  expect(partOf(changed, "XAxis")?.props.angle).toBe(-30);
  expect(partOf(changed, "CartesianGrid")?.props.strokeDasharray).toBe("1 5");
  expect(partOf(changed, "ReferenceArea")).toBeDefined();
});

test("what the builder removes is gone, with all that was said about it", () => {
  const { settings } = elementToSettings("line", before);
  const changed = change({ grid: false, series: settings.series.slice(1) });
  expect(partOf(changed, "CartesianGrid")).toBeUndefined();
  expect(partOf(changed, "Line", "revenue")).toBeUndefined();
  expect(partOf(changed, "Line", "cost")).toBeDefined();
});

test("another type keeps what it has a place for", () => {
  const bars = change({ type: "bar" });
  expect(bars.name).toBe("BarChart");
  expect(partOf(bars, "XAxis")?.props.angle).toBe(-30);
  expect(partOf(bars, "Line", "revenue")).toBeUndefined();
  expect(change({ type: "pie" }).children.map(({ name }) => name)).not.toContain("ReferenceArea");
});

test("a table keeps what only its text says", () => {
  const table = parseJsxConfig(
    '<Table striped><Column dataKey="a" align="right" /><Column dataKey="b" width={90} /></Table>',
  );
  const { columns, pivot } = readTable(table);
  const wider = columns.map((one) => (one.column === "b" ? { ...one, width: 200 } : one));
  const written = writeTable({ columns: wider, pivot });
  if (!written) throw new Error("The table has no settings.");
  expect(keepRest(written, "table", table)).toEqual({
    ...{ name: "Table", props: { striped: true } },
    children: [
      { name: "Column", props: { dataKey: "a", align: "right" }, children: [] },
      { name: "Column", props: { dataKey: "b", width: 200 }, children: [] },
    ],
  });
});
