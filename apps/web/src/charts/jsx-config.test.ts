import { type ChartElement, type LiteralValue, parseJsxConfig } from "@querybell/domain/jsx-config";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ChartSettings, plainSettings, type SeriesSettings, settingsOf } from "./chart-settings.ts";
import { elementToSettings } from "./element-to-settings.ts";
import { colorAt } from "./palette.ts";
import { settingsToElement } from "./settings-to-element.ts";
import { defaultSettings, suggestSettings } from "./suggest-settings.ts";
import { writeJsxConfig } from "./write-jsx-config.ts";

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

/** Settings of a type, with what means nothing for it left as it is by itself. */
const settings: fc.Arbitrary<ChartSettings> = fc
  .record({
    type: fc.constantFrom("line", "bar", "area", "scatter", "pie", "number", "table" as const),
    category: maybe(text),
    series: fc.array(series, { minLength: 1, maxLength: 4 }),
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
    return { ...plainSettings, ...known, type: all.type, series: seriesOf(all) };
  });

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

  test("that says more than the builder knows is told apart", () => {
    const byHand =
      '<LineChart syncId="a"><XAxis dataKey="m" /><Line dataKey="a" strokeDasharray="4" /></LineChart>';
    const { settings: read, isComplete } = elementToSettings("line", parseJsxConfig(byHand));
    expect(isComplete).toBe(false);
    expect(read).toMatchObject({ type: "line", category: "m", series: [{ column: "a" }] });
  });
});

describe("a first chart", () => {
  const field = (name: string, type: "date" | "string" | "integer" | "decimal") => ({ name, type });

  test.each([
    [[field("month", "date"), field("revenue", "decimal")], 12, { type: "line", category: "month" }],
    [[field("country", "string"), field("sold", "integer")], 5, { type: "bar", category: "country" }],
    [[field("total", "integer")], 1, { type: "number", series: [{ column: "total" }] }],
    [[field("a", "integer"), field("b", "integer")], 9, { type: "scatter", category: "a" }],
    [[field("name", "string")], 9, { type: "table" }],
  ])("fits the columns %j", (fields, rowCount, expected) => {
    expect(suggestSettings(fields, rowCount)).toMatchObject(expected);
  });

  test("of one column and no other is drawn all the same", () => {
    expect(defaultSettings("line", [field("n", "integer")])).toMatchObject({
      category: "n",
      series: [{ column: "n" }],
    });
    expect(colorAt(8)).toBe(colorAt(0));
  });
});
