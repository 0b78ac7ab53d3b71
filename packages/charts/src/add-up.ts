import type { ChartElement } from "@querybell/domain/jsx-config";
import type { ChartRows } from "./chart-data.ts";
import { ExactTotal } from "./exact-sums.ts";
import { identity } from "./split-values.ts";

/** The columns of a pie and of a number over time: one value for each name or time. */
function columnsOf(root: ChartElement): { by: unknown; values: unknown } | undefined {
  if (root.name === "Number") return { by: root.props.over, values: root.props.dataKey };
  const pie = root.name === "PieChart" ? root.children.find(({ name }) => name === "Pie") : undefined;
  return pie && { by: pie.props.nameKey, values: pie.props.dataKey };
}

/** Adds up the rows of a pie with the same name, and those of a number with the same time, with every digit. */
export function addUp(root: ChartElement, rows: ChartRows): { rows: ChartRows; notes: string[] } {
  const columns = columnsOf(root);
  const by = rows.fields.findIndex(({ name }) => name === columns?.by);
  const values = rows.fields.findIndex(({ name }) => name === columns?.values);
  if (by === -1 || values === -1) return { rows, notes: [] };
  const groups = new Map<unknown, { row: readonly unknown[]; total: ExactTotal }>();
  for (const row of rows.rows) {
    const key = identity(row[by]);
    const group = groups.get(key) ?? { row, total: new ExactTotal() };
    groups.set(key, group);
    group.total.add(row[values]);
  }
  if (groups.size === rows.rows.length) return { rows, notes: [] };
  const added = [...groups.values()].map(({ row, total }) => row.with(values, total.read("sum")));
  return {
    rows: { ...rows, rows: added, rowCount: added.length },
    notes: [`Rows with the same ${rows.fields[by]?.name} are added up.`],
  };
}
