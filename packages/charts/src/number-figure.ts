import { exactValue } from "./chart-data.ts";
import { type ChartInput, formatProp, numberProp, textProp } from "./chart-input.ts";
import { formatCount } from "./counts.ts";
import { curvePath, thinOut } from "./curves.ts";
import { colorAt } from "./palette.ts";
import { linearScale } from "./scales.ts";
import type { Scene, SceneNode, TextNode } from "./scene.ts";
import { fitText, textWidth } from "./text-width.ts";
import { timeNames } from "./time-names.ts";
import { parseWallTime } from "./times.ts";

/**
 * One number in large type with its label, what it is compared with, and a small line of its past. With `over`, the
 * column of time, it is the number of the latest row, compared with the row before.
 */
export function drawNumber(input: ChartInput): Scene {
  const { element, theme, width, height, margins } = input;
  const { props } = element;
  const column = columnOfNumber(input);
  const past = readPast(input, column);
  const row = past ? past.rows.at(-1) : input.data[0];
  const raw =
    row && column !== undefined ? (exactValue(row, input.fields, column) ?? row[column]) : undefined;
  const text = `${textOf(props.prefix)}${writeNumber(input, raw)}${textOf(props.suffix)}`;
  const label = textProp(props.label) ?? (column === undefined ? undefined : toWords(column));
  const change = compare(input, { column, row, past });
  const room = width - margins.left - margins.right;
  const hasLine = past !== undefined && past.values.length > 2 && height >= 150;
  const lines = [label, change].filter((line) => line !== undefined).length;
  const space = height - margins.top - margins.bottom - lines * 22 - (hasLine ? 56 : 0);
  const size = Math.max(18, Math.min(72, space, (room / Math.max(1, textWidth(text, 1, 600))) * 0.98));
  const total = size + lines * 22 + (hasLine ? 56 : 0);
  let y = Math.max(margins.top, (height - total) / 2);
  const x = width / 2;
  const nodes: SceneNode[] = [];
  const write = (words: string, more: Partial<TextNode> & { size: number }) => {
    const fitted = fitText(words, room, more.size, more.weight);
    nodes.push({
      kind: "text",
      part: "label",
      x,
      y,
      text: fitted,
      fill: theme.dimmed,
      anchor: "middle",
      ...more,
    });
  };
  if (label !== undefined) {
    y += 14;
    write(label, { size: 14 });
    y += 8;
  }
  y += size * 0.86;
  write(text, { size, fill: theme.text, weight: 600 });
  y += size * 0.14;
  if (change) {
    y += 18;
    write(change, { size: 13 });
    y += 4;
  }
  if (hasLine) {
    const box = {
      left: x - Math.min(room, 280) / 2,
      right: x + Math.min(room, 280) / 2,
      top: y + 12,
      bottom: y + 50,
    };
    nodes.push(...sparkline(past.values, box));
  }
  const description = [`${label ?? "Number"}: ${text}`, change]
    .filter((part) => part !== undefined)
    .join(", ");
  return {
    width,
    height,
    nodes,
    notes: [...input.notes, ...(past ? [] : firstRowNotes(input.data.length))],
    description: `${description}.`,
    ...exactReader({
      ...{ title: label ?? "", name: past?.names.at(-1) ?? "Value" },
      ...{ text, exact: exactText(input, row, column), y },
    }),
    table: () => ({
      headings: past ? [past.column, column ?? "Value"] : [column ?? "Value"],
      rows: past
        ? past.rows.map((one, index) => [past.names[index] ?? "", exactText(input, one, column)])
        : [[exactText(input, row, column)]],
      more: 0,
    }),
  };
}

/** The value of a row with every digit. */
function exactText(
  { fields, formats, element }: ChartInput,
  row: ChartInput["data"][number] | undefined,
  column: string | undefined,
): string {
  const value = row && column !== undefined ? (exactValue(row, fields, column) ?? row[column]) : undefined;
  if (value === undefined || value === null) return "–";
  const { prefix, suffix } = element.props;
  return `${textOf(prefix)}${formats.exact(value, format({ element }))}${textOf(suffix)}`;
}

interface Written {
  title: string;
  name: string;
  /** What is drawn, and the same with every digit. */
  text: string;
  exact: string;
  /** Below what is written. */
  y: number;
}

/** A number that is drawn with fewer digits has all of them beside the pointer. */
function exactReader({
  title,
  name,
  text,
  exact,
  y,
}: Written): Pick<Scene, "pointCount" | "nearest" | "point"> {
  const isShort = exact !== text;
  const point = {
    ...{ title, category: undefined, total: undefined, cursor: undefined, dots: [] },
    ...{ rows: [{ name, color: undefined, text: exact }], x: 0, y },
  };
  return {
    pointCount: isShort ? 1 : 0,
    nearest: () => (isShort ? 0 : undefined),
    point: (index) => (isShort && index === 0 ? point : undefined),
  };
}

const firstRowNotes = (count: number): string[] =>
  count > 1 ? [`Shows the first of ${formatCount(count)} rows.`] : [];

function columnOfNumber({ element, fields }: ChartInput): string | undefined {
  const wanted = textProp(element.props.dataKey);
  return fields.some(({ name }) => name === wanted) ? wanted : fields[0]?.name;
}

const format = ({ element }: Pick<ChartInput, "element">) => formatProp(element.props.format) ?? "number";

function writeNumber(input: ChartInput, value: unknown): string {
  if (value === undefined || value === null) return "–";
  const decimals = numberProp(input.element.props.decimals);
  const text =
    decimals === undefined
      ? input.formats.value(value, format(input))
      : input.formats.decimals(value, format(input), decimals);
  return text === "" ? "–" : text;
}

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

const toWords = (column: string): string => {
  const words = column.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

interface Past {
  column: string;
  /** By time. */
  rows: ChartInput["data"][number][];
  names: string[];
  values: number[];
}

function readPast({ element, data, formats }: ChartInput, column: string | undefined): Past | undefined {
  const over = textProp(element.props.over);
  if (over === undefined || column === undefined) return undefined;
  const timed = data.flatMap((row) => {
    const time = parseWallTime(row[over], formats.offsetAt);
    return time === undefined ? [] : [{ row, time }];
  });
  if (timed.length === 0) return undefined;
  timed.sort((a, b) => a.time - b.time);
  const names = timeNames(
    timed.map(({ row }) => row[over]),
    formats,
  );
  return {
    column: over,
    rows: timed.map(({ row }) => row),
    names: names.map((name) => name ?? ""),
    values: timed.flatMap(({ row }) => (typeof row[column] === "number" ? [Number(row[column])] : [])),
  };
}

interface Compared {
  column: string | undefined;
  row: ChartInput["data"][number] | undefined;
  past: Past | undefined;
}

function compare(input: ChartInput, { column, row, past }: Compared): string | undefined {
  const compareTo = textProp(input.element.props.compareTo);
  const before =
    compareTo !== undefined
      ? row?.[compareTo]
      : column === undefined
        ? undefined
        : past?.rows.at(-2)?.[column];
  const value = column === undefined ? undefined : row?.[column];
  if (typeof before !== "number" || typeof value !== "number" || before === 0) return undefined;
  const share = (value - before) / Math.abs(before);
  const when = compareTo === undefined ? ` in ${past?.names.at(-2)}` : "";
  return `${input.formats.change(share)} from ${writeNumber(input, before)}${when}`;
}

function sparkline(
  values: readonly number[],
  { left, right, top, bottom }: Record<"left" | "right" | "top" | "bottom", number>,
): SceneNode[] {
  const x = linearScale([0, values.length - 1], [left, right]);
  const y = linearScale([Math.min(...values), Math.max(...values)], [bottom, top]);
  const isFlat = Math.min(...values) === Math.max(...values);
  const points = values.map((value, index) => ({ x: x(index), y: isFlat ? (top + bottom) / 2 : y(value) }));
  const last = points.at(-1);
  const color = colorAt(0);
  return [
    {
      kind: "path",
      part: "line",
      d: curvePath(thinOut(points, right - left), "linear"),
      stroke: color,
      strokeWidth: 2,
      lineCap: "round",
    },
    ...(last ? [{ kind: "circle", part: "point", ...last, r: 3.5, fill: color } as const] : []),
  ];
}
