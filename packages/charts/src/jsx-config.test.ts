import { type ChartElement, type LiteralValue, parseJsxConfig } from "@querybell/domain/jsx-config";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sortOrders } from "./arrange.ts";
import {
  type ChartSettings,
  chartTypes,
  hasMeaning,
  isLying,
  markOf,
  markTypes,
  plainSeries,
  plainSettings,
  type SeriesSettings,
  settingsOf,
} from "./chart-settings.ts";
import { elementToSettings } from "./element-to-settings.ts";
import { settingsToElement, writeJsxConfig } from "./settings-to-element.ts";

const text = fc.string({ minLength: 1, unit: "binary" });
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const color = maybe(fc.constantFrom("#123456", "tomato"));

const literal = fc.letrec<{ value: LiteralValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string({ unit: "binary" }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value")),
    fc.dictionary(text, tie("value"), { noNullPrototype: true }).map(({ ["__proto__"]: _, ...rest }) => rest),
  ),
})).value;

const series: fc.Arbitrary<SeriesSettings> = fc.record({
  column: text,
  label: maybe(text),
  color,
  mark: maybe(fc.constantFrom(...markTypes)),
  axis: fc.constantFrom("left", "right"),
});
const format = fc.constantFrom("auto", "number", "percent", "month" as const);
const limit = maybe(fc.double({ noNaN: true, noDefaultInfinity: true }));

/** Settings of a type. Those that have no meaning for it have their plain values. */
const settings: fc.Arbitrary<ChartSettings> = fc
  .record({
    type: fc.constantFrom(...chartTypes),
    category: maybe(text),
    series: fc.array(series, { minLength: 1, maxLength: 4 }),
    splitBy: maybe(text),
    splitColors: fc.dictionary(
      text.filter((name) => name !== "__proto__"),
      fc.constantFrom("#123456", "tomato"),
      { noNullPrototype: true },
    ),
    stacking: fc.constantFrom("none", "stacked", "percent" as const),
    horizontal: fc.boolean(),
    smooth: fc.boolean(),
    dots: fc.boolean(),
    grid: fc.boolean(),
    legend: fc.boolean(),
    sort: fc.constantFrom(...sortOrders),
    top: maybe(fc.nat(50)),
    empty: fc.constantFrom("gap", "zero", "connect" as const),
    categoryFormat: format,
    valueFormat: format,
    categoryLabel: maybe(text),
    valueLabel: maybe(text),
    logarithmic: fc.boolean(),
    minimum: limit,
    maximum: limit,
    rightFormat: format,
    rightLabel: maybe(text),
    rightMinimum: limit,
    rightMaximum: limit,
    goal: limit,
    goalLabel: maybe(text),
    average: fc.boolean(),
    labels: fc.boolean(),
    decimals: maybe(fc.nat(20)),
    compareTo: maybe(text),
    over: maybe(text),
  })
  .map((all) => {
    const known = Object.fromEntries(settingsOf[all.type].map((key) => [key, all[key]]));
    const chosen = withOneSplitSeries({ ...plainSettings, ...known, type: all.type, series: seriesOf(all) });
    return withMeaning(chosen);
  });

/** Only one series can be split, and it has no label, no colour and nothing to be combined with. */
function withOneSplitSeries(all: ChartSettings): ChartSettings {
  const [first] = all.series;
  if (all.splitBy === null || !first) return all;
  return { ...all, series: [plainSeries(first.column)] };
}

function seriesOf({ type, series }: ChartSettings): SeriesSettings[] {
  const [first = plainSeries("a")] = series;
  const single = { ...first, mark: null, axis: "left" as const };
  if (type === "table") return [];
  if (type === "number") return [{ ...single, color: null }];
  if (type === "pie") return [{ ...single, label: null }];
  if (type === "scatter") return series.map((one) => ({ ...one, mark: null, axis: "left" }));
  // A chart all of whose marks are of another kind is a chart of that kind.
  const marked = series.map((one) => ({ ...one, mark: one.mark === type ? null : one.mark }));
  return marked.some(({ mark }) => mark === null) ? marked : marked.map((one) => ({ ...one, mark: null }));
}

/** Settings that depend on others, such as those of the second axis, have their plain values without them. */
function withMeaning(all: ChartSettings): ChartSettings {
  const meaningless = settingsOf[all.type].filter((key) => !hasMeaning(all, key));
  const plain = Object.fromEntries(meaningless.map((key) => [key, plainSettings[key]]));
  const series = isLying(all) ? all.series.map((one) => ({ ...one, axis: "left" as const })) : all.series;
  const changed = { ...all, ...plain, series };
  // Missing values of bars alone cannot be connected.
  const hasLines = changed.series.some((one) => markOf(changed, one) !== "bar");
  return changed.empty === "connect" && !hasLines ? { ...changed, empty: "gap" } : changed;
}

describe("a chart's text", () => {
  test("reads back as the element that was written", () => {
    const props = fc.dictionary(fc.constantFrom("dataKey", "name", "unit", "fill", "hide"), literal, {
      noNullPrototype: true,
    });
    const line: fc.Arbitrary<ChartElement> = props.map((given) => ({
      name: "Line",
      props: given,
      children: [],
    }));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 4 }), (children) => {
        const element = { name: "LineChart", props: {}, children };
        expect(parseJsxConfig(writeJsxConfig(element))).toEqual(element);
      }),
      { numRuns: 300 },
    );
  });

  test("says all that the builder can say", () => {
    fc.assert(
      fc.property(settings, (chosen) => {
        const element = settingsToElement(chosen);
        const read = element && parseJsxConfig(writeJsxConfig(element));
        expect(elementToSettings(chosen.type, read)).toEqual({ settings: chosen, isComplete: true });
      }),
      { numRuns: 300 },
    );
  });

  test("means the same in whichever order its properties are written", () => {
    const byHand =
      '<BarChart><XAxis dataKey="d" /><YAxis /><Tooltip /><Bar stackId="all" fill="#123456" dataKey="a" /></BarChart>';
    expect(elementToSettings("bar", parseJsxConfig(byHand)).isComplete).toBe(true);
  });

  test("means the same in whichever order its axes are written", () => {
    const byHand =
      '<BarChart layout="vertical"><Tooltip /><XAxis type="number" /><YAxis dataKey="d" type="category" width={140} /><Bar dataKey="a" fill="#123456" /></BarChart>';
    expect(elementToSettings("bar", parseJsxConfig(byHand)).isComplete).toBe(true);
  });

  test("names the column that a series is split by", () => {
    const byHand =
      '<LineChart><XAxis dataKey="month" /><YAxis /><Tooltip /><Legend /><Line dataKey="revenue" splitBy="team" strokeWidth={2} dot={false} /></LineChart>';
    expect(elementToSettings("line", parseJsxConfig(byHand))).toMatchObject({
      isComplete: true,
      settings: { splitBy: "team", series: [{ column: "revenue", label: null, color: null, mark: null }] },
    });
    const two = byHand.replace("<Line ", '<Line dataKey="cost" strokeWidth={2} dot={false} /><Line ');
    expect(elementToSettings("line", parseJsxConfig(two))).toMatchObject({
      isComplete: false,
      settings: { splitBy: null },
    });
  });

  test("combines bars with a line on a second axis", () => {
    const byHand =
      '<ComposedChart><XAxis dataKey="month" /><YAxis /><YAxis yAxisId="right" orientation="right" format="percent" /><Tooltip /><Bar dataKey="revenue" fill="#b87d10" /><Line dataKey="margin" yAxisId="right" stroke="#3b6fb5" strokeWidth={2} dot={false} /><ReferenceLine y={5} label="Goal" /></ComposedChart>';
    expect(elementToSettings("bar", parseJsxConfig(byHand))).toMatchObject({
      isComplete: true,
      settings: {
        type: "bar",
        series: [
          { column: "revenue", mark: null, axis: "left" },
          { column: "margin", mark: "line", axis: "right" },
        ],
        rightFormat: "percent",
        goal: 5,
        goalLabel: "Goal",
      },
    });
  });

  test("that says more than the builder knows is told apart", () => {
    const byHand =
      '<LineChart syncId="a"><XAxis dataKey="m" /><Line dataKey="a" strokeDasharray="4" /></LineChart>';
    const { settings: read, isComplete } = elementToSettings("line", parseJsxConfig(byHand));
    expect(isComplete).toBe(false);
    expect(read).toMatchObject({ type: "line", category: "m", series: [{ column: "a" }] });
  });
});
