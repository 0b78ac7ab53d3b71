import { chartElements, chartRoots } from "./chart-elements.ts";
import { type LiteralValue, readLiteral } from "./read-literal.ts";
import { TextReader } from "./text-reader.ts";

export type { LiteralValue } from "./read-literal.ts";

/** One element of a visualization, as data for the renderer. */
export interface ChartElement {
  name: string;
  props: Record<string, LiteralValue>;
  children: ChartElement[];
}

const maxElements = 200;
const space = /\s*/y;
const elementName = /[A-Za-z][\w.]*/y;
const propName = /[A-Za-z_$][\w$:-]*/y;
const entities = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

/**
 * Reads a `jsxConfig` as data: one element of the allow-list, with literal props and allowed elements inside.
 * Anything else is refused with `invalid_visualization` and its position. Null for an empty text: then only
 * the type of the visualization decides how it looks.
 */
export function parseJsxConfig(text: string): ChartElement | null {
  const reader = new TextReader(text);
  const budget = { left: maxElements };
  skipSpace(reader);
  if (reader.atEnd) return null;
  reader.expect(
    "<",
    `A visualization begins with one of ${chartRoots.map((name) => `<${name}>`).join(", ")}.`,
  );
  const element = readElement(reader, chartRoots, budget);
  skipSpace(reader);
  if (!reader.atEnd) reader.refuse("A visualization is one element, and it has ended before this.");
  return element;
}

/** Reads an element. The `<` is consumed already. */
function readElement(reader: TextReader, allowed: readonly string[], budget: { left: number }): ChartElement {
  const start = reader.position;
  const name = reader.take(elementName) ?? "";
  const rule = allowed.includes(name) ? chartElements[name] : undefined;
  if (!rule)
    return reader.refuse(`${named(name)} cannot stand here. Allowed are: ${allowed.join(", ")}.`, start);
  budget.left--;
  if (budget.left < 0) reader.refuse(`A visualization has at most ${maxElements} elements.`, start);

  const props = readProps(reader, name, rule.props);
  if (reader.accept("/>")) return { name, props, children: [] };
  reader.expect(">", "The element is not closed: > or /> is missing here.");
  const children: ChartElement[] = [];
  for (;;) {
    skipSpace(reader);
    if (reader.accept("</")) break;
    reader.expect("<", `Only elements can stand inside ${named(name)}; close it with </${name}>.`);
    children.push(readElement(reader, rule.children, budget));
  }
  const closing = reader.position;
  if (reader.take(elementName) !== name)
    reader.refuse(`${named(name)} is open and must be closed first.`, closing);
  reader.take(space);
  reader.expect(">", "> is missing here.");
  return { name, props, children };
}

function readProps(reader: TextReader, element: string, allowed: readonly string[]): ChartElement["props"] {
  const props: ChartElement["props"] = {};
  for (;;) {
    const spaced = reader.take(space);
    const start = reader.position;
    const name = reader.take(propName);
    if (name === undefined) return props;
    if (spaced === "") reader.refuse("A space is missing here.", start);
    if (!allowed.includes(name)) {
      const list = allowed.length > 0 ? `Allowed are: ${allowed.join(", ")}.` : "It has none.";
      reader.refuse(`${named(element)} has no prop ${name}. ${list}`, start);
    }
    if (Object.hasOwn(props, name)) reader.refuse(`${name} stands here twice.`, start);
    props[name] = readPropValue(reader);
  }
}

function readPropValue(reader: TextReader): LiteralValue {
  if (reader.take(/\s*=/y) === undefined) return true;
  reader.take(space);
  for (const quote of ['"', "'"]) {
    if (reader.accept(quote)) return decodeEntities(reader.takeUntil(quote, "This text does not end."));
  }
  reader.expect("{", 'A value is written as "text" or {literal}.');
  const value = readLiteral(reader);
  reader.take(space);
  reader.expect("}", "Only one literal value can stand between the braces.");
  return value;
}

/** JSX reads the entities of HTML in quoted props. */
const decodeEntities = (text: string): string =>
  text.replace(/&(?:([a-z]+)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi, (whole, name, decimal, hex) => {
    if (name) return entities.get(name) ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
  });

/** White space, and comments as JSX has them: {/* … *\/}. */
function skipSpace(reader: TextReader): void {
  reader.take(space);
  while (reader.take(/\{\s*\/\*/y) !== undefined) {
    reader.takeUntil("*/", "This comment does not end.");
    reader.take(space);
    reader.expect("}", "Only a comment can stand between these braces.");
    reader.take(space);
  }
}

const named = (element: string) => (element === "" ? "This" : `<${element}>`);

const series = new Set(["Line", "Bar", "Area", "Pie", "Number"]);

/** The columns whose numbers a chart shows, in its order. */
export function shownColumnsOf({ jsxConfig }: { jsxConfig: string }): string[] {
  const root = parseJsxConfig(jsxConfig);
  const found = root ? elementsIn(root).filter((element) => showsNumbers(element, root)) : [];
  const names = found.flatMap(({ props: { dataKey, hide } }) =>
    typeof dataKey === "string" && hide !== true ? [dataKey] : [],
  );
  return [...new Set(names)];
}

const elementsIn = (element: ChartElement): ChartElement[] => [
  element,
  ...element.children.flatMap(elementsIn),
];

/** The points of a scatter chart have their numbers on the axis. */
const showsNumbers = ({ name }: ChartElement, root: ChartElement): boolean =>
  series.has(name) || (root.name === "ScatterChart" && name === "YAxis");
