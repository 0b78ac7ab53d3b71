import type { Deps } from "@querybell/core";
import { createQuery } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import type { Caller, CreateReference } from "@querybell/domain";

type Visualization = NonNullable<CreateReference["visualization"]>;

interface Chart {
  title: string;
  sql: string;
  type: Visualization["type"];
  jsxConfig: string;
}

const figure = "SELECT (1000 + random() * 9000)::int AS now, (1000 + random() * 9000)::int AS before";
const days = `SELECT date '2026-01-01' + n AS day, (100 + random() * 900)::int AS web, (100 + random() * 900)::int AS store
  FROM generate_series(0, 29) n`;
const kinds = "SELECT 'Kind ' || n AS kind, (100 + random() * 900)::int AS sold FROM generate_series(1, 8) n";
const prices = "SELECT n AS price, (100 + random() * 900)::int AS sold FROM generate_series(1, 60) n";

const number = (title: string): Chart => ({
  title,
  sql: figure,
  type: "number",
  jsxConfig: `<Number dataKey="now" label="${title}" compareTo="before" />`,
});
const overDays = (title: string, type: "line" | "bar" | "area"): Chart => {
  const [frame, mark] = {
    line: ["LineChart", "Line"],
    bar: ["BarChart", "Bar"],
    area: ["AreaChart", "Area"],
  }[type];
  const marks = ["web", "store"].map((key) => `<${mark} dataKey="${key}" />`).join("");
  return {
    title,
    sql: days,
    type,
    jsxConfig: `<${frame}><XAxis dataKey="day" /><YAxis /><Tooltip /><Legend />${marks}</${frame}>`,
  };
};

/** On Postgres. Every run gives other values. */
const charts: readonly Chart[] = [
  ...["Orders", "Revenue", "Visitors", "Returns"].map(number),
  overDays("Orders by day", "line"),
  overDays("Revenue by day", "bar"),
  overDays("Visitors by day", "area"),
  {
    title: "Shares",
    sql: kinds,
    type: "pie",
    jsxConfig: `<PieChart><Pie dataKey="sold" nameKey="kind" innerRadius="55%" label={true} /><Legend /></PieChart>`,
  },
  {
    title: "Best sellers",
    sql: kinds,
    type: "bar",
    jsxConfig: `<BarChart layout="vertical"><XAxis type="number" /><YAxis dataKey="kind" type="category" /><Bar dataKey="sold" /></BarChart>`,
  },
  {
    title: "Price and demand",
    sql: prices,
    type: "scatter",
    jsxConfig: `<ScatterChart><XAxis dataKey="price" type="number" /><YAxis /><Scatter dataKey="sold" /></ScatterChart>`,
  },
  { title: "Prices", sql: prices, type: "table", jsxConfig: "" },
  overDays("Returns by day", "line"),
];

/** Creates 12 charts of all types, and returns the ids of their references. */
export async function createTwelveCharts(
  deps: Deps,
  caller: Caller,
  analyticalDatabaseConfigId: string,
): Promise<string[]> {
  const ids: string[] = [];
  for (const { title, sql, type, jsxConfig } of charts) {
    const { id: queryId } = await createQuery(deps, caller, { sql, analyticalDatabaseConfigId });
    const marginConfig = { top: 16, right: 24, bottom: 8, left: 8 };
    const visualization = { type, jsxConfig, marginConfig };
    ids.push((await createReference(deps, caller, { queryId, title, visualization })).id);
  }
  return ids;
}

/** The place of each in a grid: the four numbers beside each other, the others in two columns. */
export const placeOf = (at: number) =>
  at < 4
    ? { x: 3 * at, y: 0, w: 3, h: 3 }
    : { x: 6 * (at % 2), y: 3 + 7 * Math.floor((at - 4) / 2), w: 6, h: 7 };
