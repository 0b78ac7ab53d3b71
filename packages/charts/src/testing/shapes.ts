import type { Field, Visualization } from "@querybell/domain";
import type { ChartRows } from "../chart-data.ts";
import { type ChartSettings, plainSeries } from "../chart-settings.ts";
import { settingsToElement, writeJsxConfig } from "../settings-to-element.ts";
import { suggestSettings } from "../suggest-settings.ts";

/** A shape of data as people have it, and a chart of it. */
export interface Shape {
  name: string;
  rows: ChartRows;
  visualization: Visualization;
}

type Column = [name: string, type: Field["type"], value: (row: number) => unknown];

function result(count: number, ...columns: Column[]): ChartRows {
  const fields = columns.map(([name, type]) => ({ name, type }));
  const rows = Array.from({ length: count }, (_, row) => columns.map(([, , value]) => value(row)));
  return { fields, rows, rowCount: count };
}

/** A result in the long form: a row for each pair. */
function long(
  first: number,
  second: number,
  ...columns: [string, Field["type"], (one: number, other: number) => unknown][]
): ChartRows {
  return result(
    first * second,
    ...columns.map(
      ([name, type, value]): Column => [name, type, (row) => value(Math.floor(row / second), row % second)],
    ),
  );
}

const day = (row: number, from = Date.UTC(2025, 0, 1)) =>
  new Date(from + row * 86_400_000).toISOString().slice(0, 10);
const month = (row: number, year = 2025) => new Date(Date.UTC(year, row)).toISOString().slice(0, 10);

/** The same numbers each time, which look like chance. */
const noise = (row: number, seed = 1) => {
  const value = Math.sin(row * 12.9898 + seed * 78.233) * 43_758.5453;
  return value - Math.floor(value);
};
const money = (value: number) => value.toFixed(2);

const countries = [
  "Germany",
  "France",
  "Spain",
  "Italy",
  "Poland",
  "Netherlands",
  "Austria",
  "Sweden",
  "Belgium",
  "Portugal",
  "Ireland",
  "Denmark",
  "Finland",
  "Norway",
  "Greece",
  "Czechia",
  "Hungary",
  "Romania",
  "Bulgaria",
  "Croatia",
  "Slovakia",
  "Slovenia",
  "Estonia",
  "Latvia",
  "Lithuania",
  "Luxembourg",
  "Malta",
  "Cyprus",
  "Iceland",
  "Switzerland",
  "United Kingdom",
  "Türkiye",
  "Ukraine",
];
const teams = ["North", "South", "East", "West"];
const products = [
  "Ergonomic office chair with adjustable armrests",
  "Standing desk, 160 × 80 cm, oak",
  "Monitor arm for two screens",
  "Noise-cancelling headphones, black",
  "Wireless keyboard (German layout)",
  "USB-C docking station with 12 ports",
  "Desk lamp",
];

const margins = { top: 16, right: 24, bottom: 24, left: 16 };

function chart(name: string, rows: ChartRows, changed: Partial<ChartSettings> = {}): Shape {
  const settings = { ...suggestSettings(rows), ...changed };
  const element = settingsToElement(settings);
  return {
    name,
    rows,
    visualization: {
      type: settings.type,
      jsxConfig: element ? writeJsxConfig(element) : "",
      marginConfig: margins,
    },
  };
}

const text = (name: string, rows: ChartRows, type: Visualization["type"], jsxConfig: string): Shape => ({
  name,
  rows,
  visualization: { type, jsxConfig, marginConfig: margins },
});

const revenue = result(
  24,
  ["month", "date", (row) => month(row)],
  ["revenue_eur", "decimal", (row) => money(1_800_000 + row * 35_000 + noise(row) * 400_000)],
);
const byCountry = result(
  33,
  ["country", "string", (row) => countries[row]],
  ["orders", "integer", (row) => Math.round(9000 / (row + 1) + noise(row) * 50)],
);
const byTeam = long(
  18,
  4,
  ["month", "date", (one) => month(one)],
  ["team", "string", (_, other) => teams[other]],
  [
    "revenue",
    "decimal",
    (one, other) => money(20_000 + other * 9000 + one * 700 + noise(one * 4 + other) * 12_000),
  ],
);
const combined = result(
  12,
  ["month", "date", (row) => month(row)],
  ["revenue", "decimal", (row) => money(240_000 + noise(row) * 90_000)],
  ["margin_rate", "number", (row) => 0.2 + noise(row, 3) * 0.2],
);

/** Forty shapes: each must look as if somebody had drawn it by hand. */
export const shapes: readonly Shape[] = [
  chart("revenue by month", revenue),
  chart("revenue by month as bars", revenue, { type: "bar" }),
  chart("revenue by month as an area with a goal", revenue, {
    type: "area",
    goal: 2_600_000,
    goalLabel: "Goal",
    smooth: true,
  }),
  chart(
    "one row",
    result(1, ["month", "date", () => "2026-09-01"], ["revenue", "decimal", () => "125000.50"]),
    { type: "bar", series: [plainSeries("revenue")], category: "month" },
  ),
  chart("one number", result(1, ["active_customers", "integer", () => 18_432])),
  chart(
    "one number over time",
    result(
      14,
      ["month", "date", (row) => month(row)],
      ["revenue_eur", "decimal", (row) => money(90_000 + noise(row) * 30_000)],
    ),
    {
      type: "number",
      category: null,
      over: "month",
      series: [plainSeries("revenue_eur")],
      valueFormat: "eur",
    },
  ),
  chart(
    "one date and two lines",
    result(
      1,
      ["day", "date", () => "2026-09-14"],
      ["visits", "integer", () => 1400],
      ["orders", "integer", () => 52],
    ),
    { type: "line" },
  ),
  chart(
    "10,000 points",
    result(
      10_000,
      ["at", "timestamp", (row) => new Date(Date.UTC(2026, 8, 1) + row * 300_000).toISOString()],
      ["temperature", "number", (row) => 18 + Math.sin(row / 45) * 5 + noise(row) * 2],
    ),
  ),
  chart(
    "10,000 points as dots",
    result(
      10_000,
      ["price", "number", (row) => 10 + noise(row) * 90],
      ["sold", "integer", (row) => Math.round(500 - noise(row) * 400 + noise(row, 2) * 100)],
    ),
  ),
  chart("33 countries as a pie", byCountry, {
    type: "pie",
    category: "country",
    series: [plainSeries("orders")],
    legend: true,
    labels: true,
  }),
  chart("33 countries as bars", byCountry),
  chart("33 countries as lying bars", byCountry, { horizontal: true, sort: "descending" }),
  chart("the ten largest countries", byCountry, {
    horizontal: true,
    sort: "descending",
    top: 10,
    labels: true,
  }),
  chart(
    "long names",
    result(7, ["product", "string", (row) => products[row]], ["sold", "integer", (row) => 900 - row * 110]),
  ),
  chart(
    "long names as columns",
    result(7, ["product", "string", (row) => products[row]], ["sold", "integer", (row) => 900 - row * 110]),
    { horizontal: false },
  ),
  chart(
    "losses and gains",
    result(
      12,
      ["month", "date", (row) => month(row)],
      ["result", "decimal", (row) => money((noise(row) - 0.5) * 80_000)],
    ),
    { type: "bar" },
  ),
  chart(
    "losses and gains of names",
    result(
      8,
      ["country", "string", (row) => countries[row]],
      ["change", "number", (row) => (noise(row, 5) - 0.45) * 0.4],
    ),
    { type: "bar", horizontal: true, valueFormat: "percent", labels: true },
  ),
  chart(
    "only negative numbers",
    result(10, ["day", "date", (row) => day(row)], ["depth", "number", (row) => -20 - noise(row) * 60]),
  ),
  chart(
    "missing values",
    result(
      30,
      ["day", "date", (row) => day(row)],
      ["visits", "integer", (row) => (row % 7 > 4 || row === 10 ? null : 400 + Math.round(noise(row) * 200))],
    ),
  ),
  chart(
    "missing values as zero",
    result(
      30,
      ["day", "date", (row) => day(row)],
      ["visits", "integer", (row) => (row % 7 > 4 ? null : 400 + Math.round(noise(row) * 200))],
    ),
    { type: "area", empty: "zero" },
  ),
  chart(
    "a missing name",
    result(
      5,
      ["channel", "string", (row) => ["Search", null, "Mail", "", "Direct"][row]],
      ["visits", "integer", (row) => 900 - row * 140],
    ),
  ),
  chart(
    "huge numbers",
    result(
      6,
      ["year", "integer", (row) => 2020 + row],
      ["cells", "decimal", (row) => `${(row + 1) * 4}00000000000000000`],
    ),
    { type: "bar", category: "year", series: [plainSeries("cells")] },
  ),
  chart(
    "tiny numbers",
    result(
      8,
      ["run", "integer", (row) => row + 1],
      ["error", "number", (row) => 2e-9 * (8 - row) + noise(row) * 1e-9],
    ),
    { type: "line", category: "run", series: [plainSeries("error")] },
  ),
  chart(
    "huge and tiny on a logarithmic axis",
    result(
      9,
      ["name", "string", (row) => `Step ${row + 1}`],
      ["bytes", "integer", (row) => Math.round(10 ** (row + 0.4))],
    ),
    { type: "bar", logarithmic: true, labels: true },
  ),
  chart(
    "two years by day",
    result(
      730,
      ["day", "date", (row) => day(row)],
      ["orders", "integer", (row) => Math.round(300 + Math.sin(row / 58) * 80 + noise(row) * 90)],
    ),
  ),
  chart(
    "two years by day as bars",
    result(
      730,
      ["day", "date", (row) => day(row)],
      ["orders", "integer", (row) => Math.round(300 + Math.sin(row / 58) * 80 + noise(row) * 90)],
    ),
    { type: "bar" },
  ),
  chart(
    "percentages",
    result(
      12,
      ["month", "date", (row) => month(row)],
      ["conversion_rate", "number", (row) => 0.021 + noise(row) * 0.01],
    ),
  ),
  chart(
    "percentages as numbers",
    result(
      6,
      ["plan", "string", (row) => ["Free", "Start", "Team", "Business", "Enterprise", "Partner"][row]],
      ["churn_percent", "number", (row) => Math.round(noise(row) * 90) / 10],
    ),
    { labels: true },
  ),
  chart("teams by month as lines", byTeam),
  chart("teams by month, stacked", byTeam, { type: "bar", stacking: "stacked" }),
  chart("teams by month to 100 %", byTeam, {
    type: "area",
    stacking: "percent",
    splitColors: { North: "#8f2d56" },
  }),
  chart(
    "many series",
    long(
      12,
      14,
      ["month", "date", (one) => month(one)],
      ["country", "string", (_, other) => countries[other]],
      ["orders", "integer", (one, other) => Math.round(900 / (other + 1) + noise(one + other) * 90)],
    ),
  ),
  chart("bars and a line with a second axis", combined, {
    type: "bar",
    series: [
      plainSeries("revenue"),
      { ...plainSeries("margin_rate"), mark: "line", axis: "right", label: "Margin" },
    ],
    valueFormat: "eur",
    rightFormat: "percent",
    legend: true,
    valueLabel: "Revenue",
    rightLabel: "Margin",
    dots: true,
  }),
  chart(
    "groups of bars",
    long(
      5,
      3,
      ["region", "string", (one) => ["Europe", "Asia", "Africa", "Americas", "Oceania"][one]],
      ["year", "string", (_, other) => String(2024 + other)],
      ["sold", "integer", (one, other) => 400 + Math.round(noise(one * 3 + other) * 500)],
    ),
    { stacking: "none", labels: true },
  ),
  chart(
    "hours of a day",
    result(
      24,
      ["hour", "timestamp", (row) => `2026-09-14T${String(row).padStart(2, "0")}:00:00`],
      [
        "calls",
        "integer",
        (row) => Math.round(Math.max(0, Math.sin((row - 5) / 4.5)) * 80 + noise(row) * 12),
      ],
    ),
    { average: true },
  ),
  chart(
    "years",
    result(
      40,
      ["year", "date", (row) => `${1985 + row}-01-01`],
      ["population", "integer", (row) => 78_000_000 + row * 140_000],
    ),
  ),
  chart(
    "a flat line",
    result(12, ["month", "date", (row) => month(row)], ["price", "decimal", () => "49.90"]),
  ),
  chart(
    "all zero",
    result(
      5,
      ["channel", "string", (row) => ["Search", "Social", "Mail", "Affiliates", "Direct"][row]],
      ["complaints", "integer", () => 0],
    ),
  ),
  chart("axis titles, range and a currency", revenue, {
    categoryLabel: "Month of the invoice",
    valueLabel: "Revenue without tax",
    minimum: 1_500_000,
    maximum: 3_500_000,
    valueFormat: "eur",
    average: true,
  }),
  text(
    "points of three groups",
    result(
      90,
      ["weight", "number", (row) => 40 + noise(row) * 60],
      ["height", "number", (row) => 150 + noise(row, 2) * 50],
      ["group", "string", (row) => ["Adelie", "Chinstrap", "Gentoo"][row % 3]],
    ),
    "scatter",
    '<ScatterChart><CartesianGrid /><XAxis dataKey="weight" type="number" label="Weight in kg" /><YAxis dataKey="height" label="Height in cm" /><Legend /><Scatter dataKey="height" splitBy="group" /></ScatterChart>',
  ),
  text(
    "other scripts",
    result(
      6,
      [
        "name",
        "string",
        (row) => ["Αθήνα", "Москва", "São Paulo", "Łódź", "Ελλάδα & <b>", "Îles Féroé"][row],
      ],
      ["n", "integer", (row) => 5 + row],
    ),
    "bar",
    '<BarChart><CartesianGrid /><XAxis dataKey="name" /><YAxis /><Bar dataKey="n" /></BarChart>',
  ),
  text(
    "nothing to draw",
    result(0, ["month", "date", () => null], ["n", "integer", () => null]),
    "line",
    '<LineChart><XAxis dataKey="month" /><YAxis /><Line dataKey="n" /></LineChart>',
  ),
];

/** A chart of 1,000 points, for the bench. */
export const thousandPoints: Shape = chart(
  "1,000 points",
  result(
    1000,
    ["day", "date", (row) => day(row, Date.UTC(2024, 0, 1))],
    ["revenue", "decimal", (row) => money(5000 + noise(row) * 900)],
    ["orders", "integer", (row) => Math.round(100 + noise(row, 2) * 90)],
  ),
  { legend: true },
);
