import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "../app-error.ts";
import { chartElements, chartRoots } from "./chart-elements.ts";
import { type ChartElement, parseJsxConfig, shownColumnsOf } from "./parse-jsx-config.ts";
import type { LiteralValue } from "./read-literal.ts";

function refusal(text: string): string {
  try {
    parseJsxConfig(text);
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid_visualization") return error.message;
    throw error;
  }
  throw new Error(`was accepted: ${text}`);
}

describe("a jsxConfig", () => {
  test("is read as data: elements, literal props, comments", () => {
    const read = parseJsxConfig(`
      {/* sales */}
      <LineChart layout="horizontal">
        <XAxis dataKey="month" hide={false} ticks={[1, -2.5, 1e3]} />
        <Line dataKey='total' dot name={"a 'b' \\u00e9"} />
      </LineChart>`);
    expect(read).toEqual({
      name: "LineChart",
      props: { layout: "horizontal" },
      children: [
        { name: "XAxis", props: { dataKey: "month", hide: false, ticks: [1, -2.5, 1000] }, children: [] },
        { name: "Line", props: { dataKey: "total", dot: true, name: "a 'b' é" }, children: [] },
      ],
    });
  });

  test("may have a text with a dollar and a brace, which computes only in a template", () => {
    const label = "$" + "{a}";
    expect(parseJsxConfig(`<Number label={${JSON.stringify(label)}} />`)?.props).toEqual({ label });
  });

  test("that is empty means that the type says all", () => {
    expect(parseJsxConfig(" \n")).toBeNull();
  });

  test("decodes the entities that JSX has in quoted props", () => {
    expect(
      parseJsxConfig('<Number label="&lt;b&gt; &amp; &#39;x&#x27; &nope; &constructor;" />')?.props,
    ).toEqual({
      label: "<b> & 'x' &nope; &constructor;",
    });
  });

  test.each([
    ["<script>alert(1)</script>", "line 1, column 2"],
    ["<LineChart>\n  <iframe src='x' />\n</LineChart>", "line 2, column 4"],
    ["<LineChart onClick={() => alert(1)} />", "line 1, column 12"],
    ["<LineChart layout={window.name} />", "line 1, column 20"],
    ["<LineChart layout={alert(1)} />", "line 1, column 20"],
    ["<LineChart layout={'a' + 'b'} />", "line 1, column 24"],
    ["<LineChart layout={`$" + "{1}`} />", "line 1, column 21"],
    ["<LineChart {...props} />", "line 1, column 12"],
    ["<LineChart><Line dataKey={{ __proto__: 1 }} /></LineChart>", "line 1, column 29"],
    ["<LineChart dangerouslySetInnerHTML={{ __html: 'x' }} />", "line 1, column 12"],
    ["<LineChart>text</LineChart>", "line 1, column 12"],
    ["<LineChart>{1}</LineChart>", "line 1, column 12"],
    ["<LineChart><Line /></BarChart>", "line 1, column 22"],
    ["<LineChart /><LineChart />", "line 1, column 14"],
    ["<LineChart", "line 1, column 11"],
    ["<constructor />", "line 1, column 2"],
    ["<LineChart layout={constructor} />", "line 1, column 20"],
    ["<LineChart layout={__proto__} />", "line 1, column 20"],
    ["<LineChart layout={[toString]} />", "line 1, column 21"],
    ["<LineChart layout='a' layout='b' />", "line 1, column 23"],
    ["<Table pageSize={1e999} />", "line 1, column 18"],
    ["a", "line 1, column 1"],
  ])("is refused where it is more than that: %s", (text, position) => {
    expect(refusal(text)).toContain(`At ${position} of jsxConfig: `);
  });

  const deep = `<Table pageSize={${"[".repeat(500)}${"]".repeat(500)}} />`;
  const wide = `<LineChart>${"<Line />".repeat(300)}</LineChart>`;
  test.each([deep, wide])("is refused when it is too deep or too large", (text) => {
    expect(refusal(text)).toMatch(/too deeply|at most 200/);
  });
});

const literal = fc.letrec<{ value: LiteralValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, false),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    fc.string({ unit: "grapheme" }),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(
      fc.string().filter((key) => key !== "__proto__"),
      tie("value"),
      { maxKeys: 3, noNullPrototype: true },
    ),
  ),
})).value;

const elementOf = (name: string, depth: number): fc.Arbitrary<ChartElement> => {
  const { props = [], children = [] } = chartElements[name] ?? {};
  const inner =
    depth === 0 || children.length === 0
      ? fc.constant<ChartElement[]>([])
      : fc.array(
          fc.constantFrom(...children).chain((child) => elementOf(child, depth - 1)),
          { maxLength: 3 },
        );
  return fc.record({
    name: fc.constant(name),
    props:
      props.length === 0
        ? fc.constant<ChartElement["props"]>({})
        : fc.dictionary(fc.constantFrom(...props), literal, { noNullPrototype: true, maxKeys: 4 }),
    children: inner,
  });
};
const anyElement = fc.constantFrom(...chartRoots).chain((name) => elementOf(name, 2));

function print({ name, props, children }: ChartElement): string {
  const attributes = Object.entries(props).map(([key, value]) => ` ${key}={${JSON.stringify(value)}}`);
  return `<${name}${attributes.join("")}>\n${children.map(print).join(" ")}</${name}>`;
}

describe("for any visualization", () => {
  test("what is printed as JSX is read back the same", () => {
    fc.assert(
      fc.property(anyElement, (element) => {
        expect(parseJsxConfig(print(element))).toEqual(element);
      }),
    );
  });

  test("a changed character is read as allowed data or refused with a position, and nothing else happens", () => {
    const mutation = fc.tuple(anyElement, fc.nat(), fc.string({ maxLength: 3, unit: "binary" }));
    fc.assert(
      fc.property(mutation, ([element, at, text]) => {
        const printed = print(element);
        const cut = at % (printed.length + 1);
        const changed = printed.slice(0, cut) + text + printed.slice(cut + 1);
        try {
          const read = parseJsxConfig(changed);
          if (read) expectAllowed(read);
        } catch (error) {
          expect(error).toMatchObject({
            code: "invalid_visualization",
            message: expect.stringMatching(/^At line \d+, column \d+ of jsxConfig: /),
          });
        }
      }),
    );
  });
});

function expectAllowed({ name, props, children }: ChartElement): void {
  const rule = chartElements[name];
  expect(rule).toBeDefined();
  expect(rule?.props).toEqual(expect.arrayContaining(Object.keys(props)));
  for (const child of children) {
    expect(rule?.children).toContain(child.name);
    expectAllowed(child);
  }
}

test.each([
  ['<BarChart><XAxis dataKey="month" /><Bar dataKey="revenue" /></BarChart>', ["revenue"]],
  [
    '<ComposedChart><Line dataKey="b" /><Bar dataKey="a" /><Line dataKey="c" hide /></ComposedChart>',
    ["b", "a"],
  ],
  ['<ScatterChart><XAxis dataKey="price" /><YAxis dataKey="sold" /><Scatter /></ScatterChart>', ["sold"]],
  ['<PieChart><Pie dataKey="orders" nameKey="country" /></PieChart>', ["orders"]],
  ['<Number dataKey="total" />', ["total"]],
  ["<Table />", []],
  ["", []],
])("%s shows %j", (jsxConfig, columns) => {
  expect(shownColumnsOf({ jsxConfig })).toEqual(columns);
});
