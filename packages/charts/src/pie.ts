import { categoryOf, isRest } from "./arrange.ts";
import { exactValue } from "./chart-data.ts";
import { type ChartInput, childOf, formatProp, numberProp, textProp } from "./chart-input.ts";
import { toColor } from "./colors.ts";
import { countOf } from "./counts.ts";
import { coordinate } from "./curves.ts";
import { layOutLegend } from "./legend.ts";
import { colorAt, othersColor } from "./palette.ts";
import { emptyScene, type Scene, type SceneNode } from "./scene.ts";
import { fitText, textWidth } from "./text-width.ts";
import { timeNames } from "./time-names.ts";

interface Slice {
  name: string;
  category: string | undefined;
  value: number;
  share: number;
  color: string;
  text: string;
  from: number;
  to: number;
}

const labelSize = 12;

/** Draws a pie, or a ring. */
export function drawPie(input: ChartInput): Scene {
  const { element, theme, width, height, margins } = input;
  const pie = childOf(element, "Pie");
  const slices = pie ? readSlices(input, pie) : [];
  if (!pie || slices.length === 0) return emptyScene({ width, height }, theme);
  const room = { left: margins.left, right: width - margins.right };
  const hasLegend = childOf(element, "Legend") !== undefined;
  const legend = hasLegend
    ? layOutLegend(slices, { left: room.left, width: room.right - room.left, color: theme.text })
    : undefined;
  const bottom = height - margins.bottom - (legend ? legend.height + 8 : 0);
  const middle = { x: (room.left + room.right) / 2, y: (margins.top + bottom) / 2 };
  const hasLabels = pie.props.label !== undefined && pie.props.label !== false;
  const space = Math.max(
    10,
    Math.min(
      (bottom - margins.top) / 2 - (hasLabels ? 16 : 2),
      (room.right - room.left) / 2 - (hasLabels ? labelRoom(width) : 4),
    ),
  );
  const outer = radius(pie.props.outerRadius, space) ?? space;
  const inner = Math.min(radius(pie.props.innerRadius, space) ?? 0, outer - 4);
  const ring = { middle, outer, inner };
  const nodes: SceneNode[] = [
    ...slices.map(
      (slice): SceneNode => ({
        kind: "path",
        part: "slice",
        d: slicePath(slice, ring),
        fill: slice.color,
        stroke: theme.background,
        strokeWidth: slices.length > 1 ? 1.5 : 0,
      }),
    ),
    ...(hasLabels ? drawLabels(input, slices, ring) : []),
    ...(legend ? legend.draw(height - margins.bottom - legend.height) : []),
  ];
  const notes = negativeNotes(input, pie.props.dataKey);
  return {
    width,
    height,
    nodes,
    notes: [...input.notes, ...notes],
    description: describe(input, slices),
    ...sliceReader(input, slices, ring),
  };
}

/** A narrow pie has percentages beside it only. */
const labelRoom = (width: number): number => (width < 400 ? 46 : 70);

const radius = (given: unknown, space: number): number | undefined => {
  const percent = typeof given === "string" ? /^(\d+(?:\.\d+)?)%$/.exec(given) : null;
  if (percent) return (Number(percent[1]) / 100) * space;
  const pixels = numberProp(given);
  return pixels === undefined ? undefined : Math.min(pixels, space);
};

function readSlices({ data, fields, element, formats }: ChartInput, pie: ChartInput["element"]): Slice[] {
  const { dataKey, nameKey, fill } = pie.props;
  if (typeof dataKey !== "string") return [];
  const cells = pie.children.filter(({ name }) => name === "Cell");
  const byPlace = cells.filter(({ props }) => props.name === undefined);
  const format = formatProp(childOf(element, "Tooltip")?.props.valueFormat) ?? "number";
  const positive = data.flatMap((row, index) => {
    const value = row[dataKey];
    return typeof value === "number" && value > 0 ? [{ row, value, index }] : [];
  });
  const total = positive.reduce((sum, { value }) => sum + value, 0);
  const names = sliceNames(
    positive.map(({ row, index }) => (typeof nameKey === "string" ? row[nameKey] : index + 1)),
    formats,
  );
  let at = 0;
  return positive.map(({ row, value, index }, position) => {
    const name = names[position] ?? "";
    const given = typeof nameKey === "string" ? nameText(row[nameKey], formats) : name;
    const cell = cells.find(({ props }) => props.name === name || props.name === given) ?? byPlace[index];
    const from = at;
    at += value / total;
    const exact = isRest(row) ? value : (exactValue(row, fields, dataKey) ?? value);
    return {
      name,
      category: categoryOf(row, fields, textProp(nameKey)),
      value,
      share: value / total,
      color: toColor(cell?.props.fill) ?? toColor(fill) ?? (isRest(row) ? othersColor : colorAt(position)),
      text: formats.exact(exact, format),
      from,
      to: at,
    };
  });
}

/** Dates as on an axis: months as "Sep 2026". */
function sliceNames(values: readonly unknown[], formats: ChartInput["formats"]): string[] {
  const times = timeNames(values, formats);
  return values.map((value, index) => times[index] ?? nameText(value, formats));
}

function nameText(value: unknown, formats: ChartInput["formats"]): string {
  if (value === null || value === undefined) return "No value";
  const text = typeof value === "number" ? String(value) : formats.value(value, "auto").trim();
  return text === "" ? "Empty text" : text;
}

interface Ring {
  middle: { x: number; y: number };
  outer: number;
  inner: number;
}

const turn = (share: number): number => share * 2 * Math.PI - Math.PI / 2;

const onCircle = ({ middle }: Ring, r: number, share: number) => ({
  x: middle.x + r * Math.cos(turn(share)),
  y: middle.y + r * Math.sin(turn(share)),
});

function slicePath({ from, to }: Slice, ring: Ring): string {
  const { outer, inner } = ring;
  // The ends of a whole circle would be the same point.
  const end = to - from > 0.9999 ? from + 0.9999 : to;
  const large = end - from > 0.5 ? 1 : 0;
  const text = (point: { x: number; y: number }) => `${coordinate(point.x)},${coordinate(point.y)}`;
  const arc = (r: number, sweep: 0 | 1, point: { x: number; y: number }) =>
    `A${coordinate(r)},${coordinate(r)} 0 ${large} ${sweep} ${text(point)}`;
  const outside = `M${text(onCircle(ring, outer, from))}${arc(outer, 1, onCircle(ring, outer, end))}`;
  if (inner <= 0) return `${outside}L${text(ring.middle)}Z`;
  return `${outside}L${text(onCircle(ring, inner, end))}${arc(inner, 0, onCircle(ring, inner, from))}Z`;
}

/** Beside the slices, as many as have room. */
function drawLabels(
  { theme, formats, width }: ChartInput,
  slices: readonly Slice[],
  ring: Ring,
): SceneNode[] {
  const lastY: Record<"left" | "right", number[]> = { left: [], right: [] };
  return slices.flatMap((slice): SceneNode[] => {
    const middle = (slice.from + slice.to) / 2;
    const place = onCircle(ring, ring.outer + 12, middle);
    const side = place.x < ring.middle.x ? "left" : "right";
    if (lastY[side].some((other) => Math.abs(other - place.y) < 15)) return [];
    lastY[side].push(place.y);
    const room = side === "left" ? place.x - 4 : width - place.x - 4;
    const full = `${slice.text} (${formats.value(slice.share, "percent")})`;
    const text =
      textWidth(full, labelSize) <= room
        ? full
        : fitText(formats.value(slice.share, "percent"), room, labelSize);
    return [
      {
        kind: "text",
        part: "label",
        x: place.x,
        y: place.y + 4,
        text,
        size: labelSize,
        fill: theme.text,
        anchor: side === "left" ? "end" : "start",
      },
    ];
  });
}

function sliceReader(
  { formats, element }: ChartInput,
  slices: readonly Slice[],
  ring: Ring,
): Pick<Scene, "pointCount" | "nearest" | "point" | "table"> {
  const nameKey = textProp(childOf(element, "Pie")?.props.nameKey) ?? "Name";
  const dataKey = textProp(childOf(element, "Pie")?.props.dataKey) ?? "Value";
  return {
    pointCount: slices.length,
    nearest(x, y) {
      const [dx, dy] = [x - ring.middle.x, y - ring.middle.y];
      const distance = Math.hypot(dx, dy);
      if (distance > ring.outer + 6 || distance < ring.inner - 6) return undefined;
      const share = ((Math.atan2(dy, dx) + Math.PI / 2) / (2 * Math.PI) + 1) % 1;
      const found = slices.findIndex(({ from, to }) => share >= from && share < to);
      return found === -1 ? undefined : found;
    },
    point(index) {
      const slice = slices[index];
      if (!slice) return undefined;
      const place = onCircle(ring, (ring.outer + ring.inner) / 2, (slice.from + slice.to) / 2);
      return {
        title: slice.name,
        category: slice.category,
        rows: [
          { name: dataKey, color: slice.color, text: slice.text },
          { name: "Share", color: undefined, text: formats.value(slice.share, "percent") },
        ],
        total: undefined,
        ...place,
        cursor: undefined,
        dots: [],
      };
    },
    table: () => ({
      headings: [nameKey, dataKey, "Share"],
      rows: slices.map(({ name, text, share }) => [name, text, formats.value(share, "percent")]),
      more: 0,
    }),
  };
}

function negativeNotes({ data }: ChartInput, dataKey: unknown): string[] {
  const negative = data.filter((row) => typeof dataKey === "string" && Number(row[dataKey]) < 0).length;
  return negative === 0
    ? []
    : [`A pie has no place for negative values: ${countOf(negative, "row")} not shown.`];
}

function describe({ formats, element }: ChartInput, slices: readonly Slice[]): string {
  const pie = childOf(element, "Pie")?.props ?? {};
  const by = textProp(pie.nameKey);
  const largest = slices.slice(0, 3).map(({ name, share }) => `${name} ${formats.value(share, "percent")}`);
  return `Pie chart of ${textProp(pie.dataKey) ?? "values"}${by === undefined ? "" : ` by ${by}`}: ${countOf(slices.length, "slice")}. ${largest.join(", ")}.`;
}
