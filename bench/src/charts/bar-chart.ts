import { escapeXml } from "./escape-xml.ts";

interface Bar {
  label: string;
  value: number;
  /** What stands at the end of the bar. */
  text: string;
}

interface BarChart {
  title: string;
  bars: Bar[];
  /** A line across all bars, with its name. */
  mark?: { value: number; label: string };
  /** Longer bars are cut off here. */
  longest: number;
}

const labelWidth = 330;
const plotWidth = 300;
const barHeight = 14;
const rowHeight = 22;
const top = 44;

/** Horizontal bars as SVG that is readable on light and dark pages. */
export function barChart({ title, bars, mark, longest }: BarChart): string {
  const width = labelWidth + plotWidth + 90;
  const height = top + bars.length * rowHeight + 12;
  const x = (value: number) => labelWidth + (Math.min(value, longest) / longest) * plotWidth;
  const rows = bars.map(({ label, value, text }, index) => {
    const y = top + index * rowHeight;
    const short = mark !== undefined && value < mark.value ? " short" : "";
    return [
      `<text x="${labelWidth - 8}" y="${y + 11}" text-anchor="end">${escapeXml(label)}</text>`,
      `<rect class="bar${short}" x="${labelWidth}" y="${y}" width="${(x(value) - labelWidth).toFixed(1)}" height="${barHeight}" rx="2"/>`,
      `<text x="${(x(value) + 6).toFixed(1)}" y="${y + 11}">${escapeXml(text)}</text>`,
    ].join("\n  ");
  });
  const marked =
    mark === undefined
      ? []
      : [
          `<line x1="${x(mark.value)}" x2="${x(mark.value)}" y1="${top - 8}" y2="${height - 8}"/>`,
          `<text x="${x(mark.value)}" y="${top - 13}" text-anchor="middle">${escapeXml(mark.label)}</text>`,
        ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}">
  <style>
    text { font: 12px system-ui, sans-serif; fill: #1f2933; }
    .title { font-weight: 600; }
    .bar { fill: #3d6fd9; }
    .short { fill: #c7762b; }
    line { stroke: #1f2933; stroke-dasharray: 3 3; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e4e8ee; }
      .bar { fill: #7da2f2; }
      .short { fill: #e0a064; }
      line { stroke: #e4e8ee; }
    }
  </style>
  <text class="title" x="8" y="16">${escapeXml(title)}</text>
  ${[...rows, ...marked].join("\n  ")}
</svg>
`;
}
