import { type ChartElement, type LiteralValue, parseJsxConfig } from "@querybell/domain/jsx-config";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ChartSettings, plainSettings, type SeriesSettings, settingsOf } from "./chart-settings.ts";
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

const series: fc.Arbitrary<SeriesSettings> = fc.record({ column: text, label: maybe(text), color });
const format = fc.constantFrom("auto", "number", "percent", "month" as const);
const limit = maybe(fc.double({ noNaN: true, noDefaultInfinity: true }));

/** Settings of a type. Those that have no meaning for it have their plain values. */
const settings: fc.Arbitrary<ChartSettings> = fc
  .record({
    type: fc.constantFrom("line", "bar", "area", "scatter", "pie", "number", "table" as const),
    category: maybe(text),
    series: fc.array(series, { minLength: 1, maxLength: 4 }),
    splitBy: maybe(text),
    stacking: fc.constantFrom("none", "stacked", "percent" as const),
    horizontal: fc.boolean(),
    smooth: fc.boolean(),
    dots: fc.boolean(),
    grid: fc.boolean(),
    legend: fc.boolean(),
    categoryFormat: format,
    valueFormat: format,
    categoryLabel: maybe(text),
    valueLabel: maybe(text),
    minimum: limit,
    maximum: limit,
    labels: fc.boolean(),
    decimals: maybe(fc.nat(20)),
    compareTo: maybe(text),
  })
  .map((all) => {
    const known = Object.fromEntries(settingsOf[all.type].map((key) => [key, all[key]]));
    const chosen = { ...plainSettings, ...known, type: all.type, series: seriesOf(all) };
    return withOneSplitSeries(chosen);
  });

/** Only one series can be split, and it has no label and no colour. */
function withOneSplitSeries(all: ChartSettings): ChartSettings {
  const [first] = all.series;
  if (all.splitBy === null || !first) return all;
  return { ...all, series: [{ column: first.column, label: null, color: null }] };
}

function seriesOf({ type, series }: ChartSettings): SeriesSettings[] {
  const [first = { column: "a", label: null, color: null }] = series;
  if (type === "table") return [];
  if (type === "number") return [{ ...first, color: null }];
  return type === "pie" ? [{ ...first, label: null }] : series;
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
      { numRuns: 1000 },
    );
  });

  test("says all that the builder can say", () => {
    fc.assert(
      fc.property(settings, (chosen) => {
        const element = settingsToElement(chosen);
        const read = element && parseJsxConfig(writeJsxConfig(element));
        expect(elementToSettings(chosen.type, read)).toEqual({ settings: chosen, isComplete: true });
      }),
      { numRuns: 1000 },
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
      settings: { splitBy: "team", series: [{ column: "revenue", label: null, color: null }] },
    });
    const two = byHand.replace("<Line ", '<Line dataKey="cost" strokeWidth={2} dot={false} /><Line ');
    expect(elementToSettings("line", parseJsxConfig(two))).toMatchObject({
      isComplete: false,
      settings: { splitBy: null },
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
