import { escapeXml } from "./escape-xml.ts";

/** A line: its points are [x, y], in the order of x. */
interface Line {
  name: string;
  points: readonly (readonly [x: number, y: number])[];
}

interface Chart {
  title: string;
  xLabel: string;
  yLabel: string;
  lines: readonly Line[];
  /** Both axes are logarithmic by default, as growth is read best. */
  scale?: "logarithmic" | "linear";
}

const width = 760;
const height = 420;
const margin = { top: 48, right: 210, bottom: 56, left: 64 };
const plot = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
/** Readable on light and dark pages, and told apart by people who do not see all colours (Okabe and Ito). */
const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#8c564b"];
const dashes = ["", "6 3", "2 3"];
const rowHeight = 17;

/** Draws lines over two axes as an SVG document, without a library: the docs show it as an image. */
export function lineChart({ title, xLabel, yLabel, lines, scale = "logarithmic" }: Chart): string {
  const points = lines.flatMap((line) => line.points);
  const x = createAxis(
    points.map(([at]) => at),
    { scale, length: plot.width },
  );
  const y = createAxis(
    points.map(([, at]) => at),
    { scale, length: plot.height },
  );
  const toPoint = ([atX, atY]: readonly [number, number]): [number, number] => [
    margin.left + x.position(atX),
    margin.top + plot.height - y.position(atY),
  ];
  const grid = [
    ...x.ticks.map((tick) => verticalTick(toPoint([tick, y.from])[0], tick)),
    ...y.ticks.map((tick) => horizontalTick(toPoint([x.from, tick])[1], tick)),
  ];
  const names = spread(
    lines.map(({ points: its }) => toPoint(its.at(-1) ?? [x.from, y.from])[1]),
    rowHeight,
  );
  const drawn = lines.map((line, index) => drawLine(line, { index, toPoint, nameY: names[index] ?? 0 }));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" role="img">
<title>${escapeXml(title)}</title>
<rect width="${width}" height="${height}" fill="#ffffff"/>
<text x="${margin.left}" y="26" font-size="15" font-weight="600" fill="#1a1a1a">${escapeXml(title)}</text>
${grid.join("\n")}
<text x="${margin.left + plot.width / 2}" y="${height - 14}" text-anchor="middle" fill="#444">${escapeXml(xLabel)}</text>
<text transform="translate(16 ${margin.top + plot.height / 2}) rotate(-90)" text-anchor="middle" fill="#444">${escapeXml(yLabel)}</text>
${drawn.join("\n")}
</svg>
`;
}

interface Axis {
  from: number;
  ticks: number[];
  /** Pixels from the beginning of the axis. */
  position(value: number): number;
}

function createAxis(values: number[], { scale, length }: { scale: Chart["scale"]; length: number }): Axis {
  if (scale === "linear") {
    const to = Math.max(...values, 0) || 1;
    const step = 10 ** Math.floor(Math.log10(to / 2));
    const ticks = Array.from({ length: Math.floor(to / step) + 1 }, (_, index) => index * step);
    return { from: 0, ticks, position: (value) => (value / to) * length };
  }
  const from = Math.floor(Math.log10(Math.min(...values)));
  const to = Math.max(from + 1, Math.ceil(Math.log10(Math.max(...values))));
  return {
    from: 10 ** from,
    ticks: Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index)),
    position: (value) => ((Math.log10(value) - from) / (to - from)) * length,
  };
}

const verticalTick = (at: number, value: number): string =>
  `<path d="M${round(at)} ${margin.top}v${plot.height}" stroke="#e3e3e3"/><text x="${round(at)}" y="${margin.top + plot.height + 18}" text-anchor="middle" fill="#444">${label(value)}</text>`;

const horizontalTick = (at: number, value: number): string =>
  `<path d="M${margin.left} ${round(at)}h${plot.width}" stroke="#e3e3e3"/><text x="${margin.left - 8}" y="${round(at) + 4}" text-anchor="end" fill="#444">${label(value)}</text>`;

function drawLine(
  { name, points }: Line,
  {
    index,
    toPoint,
    nameY,
  }: { index: number; toPoint: (point: readonly [number, number]) => [number, number]; nameY: number },
): string {
  const colour = colours[index % colours.length];
  const dash = dashes[Math.floor(index / colours.length) % dashes.length];
  const path = points.map((point) => toPoint(point).map(round).join(" ")).join("L");
  const [endX, endY] = toPoint(points.at(-1) ?? [0, 0]);
  const nameX = margin.left + plot.width + 14;
  return `<path d="M${path}" fill="none" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/><path d="M${round(endX)} ${round(endY)}L${nameX - 3} ${round(nameY)}" stroke="${colour}" stroke-width="0.7"/><text x="${nameX}" y="${round(nameY) + 4}" fill="${colour}">${escapeXml(name)}</text>`;
}

/** Moves positions apart until they are at least `distance` from each other, in their order. */
function spread(positions: number[], distance: number): number[] {
  const order = positions.map((_, index) => index).sort((a, b) => (positions[a] ?? 0) - (positions[b] ?? 0));
  const total = order.length * distance;
  const lowest = Math.min(positions[order[0] ?? 0] ?? 0, margin.top + plot.height - total + distance);
  const result = [...positions];
  let next = Math.max(margin.top, lowest);
  for (const index of order) {
    const room = margin.top + plot.height - (order.length - order.indexOf(index) - 1) * distance;
    next = Math.min(Math.max(next, positions[index] ?? 0), Math.max(next, room));
    result[index] = next;
    next += distance;
  }
  return result;
}

const round = (value: number): number => Math.round(value * 10) / 10;
const label = (value: number): string =>
  value >= 1 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(2)));
