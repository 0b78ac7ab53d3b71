import { formatCount } from "./counts.ts";
import { fitNames } from "./fit-names.ts";
import type { SceneNode } from "./scene.ts";
import { textWidth } from "./text-width.ts";

export interface LegendItem {
  name: string;
  color: string;
}

const size = 12;
const rowHeight = 20;
const gap = 16;
const dot = 14;
const maxRows = 4;
/** Of a name. */
const widest = 220;

export interface Legend {
  height: number;
  /** Its nodes, with its upper edge at this height. */
  draw(top: number): SceneNode[];
}

interface LegendRow {
  texts: { text: string; color: string | undefined; width: number }[];
  width: number;
}

/** The names of the series, in centred rows. Where many long ones have no room, they are cut more. */
export function layOutLegend(
  items: readonly LegendItem[],
  { left, width, color }: { left: number; width: number; color: string },
): Legend {
  let rows: LegendRow[] = [];
  for (const columns of [1, 2, 3]) {
    const room = Math.floor((width - (columns - 1) * gap) / columns) - dot;
    rows = fillRows(items, { room: Math.min(widest, room), width });
    if (rows.length <= maxRows) break;
  }
  const shown = rows.length <= maxRows ? rows : withRest(rows.slice(0, maxRows), items.length, width);
  return {
    height: shown.length * rowHeight,
    draw: (top) =>
      shown.flatMap((row, index) => {
        let x = left + (width - row.width) / 2;
        const y = top + index * rowHeight + rowHeight / 2;
        return row.texts.flatMap(({ text, color: own, width: needed }): SceneNode[] => {
          const at = x;
          x += needed + gap;
          const words = { kind: "text", part: "legend", y: y + 4, text, size, fill: color } as const;
          if (own === undefined) return [{ ...words, x: at, anchor: "start" }];
          return [
            { kind: "circle", part: "legend", x: at + 4, y, r: 4, fill: own },
            { ...words, x: at + dot, anchor: "start" },
          ];
        });
      }),
  };
}

function fillRows(
  items: readonly LegendItem[],
  { room, width }: { room: number; width: number },
): LegendRow[] {
  const rows: LegendRow[] = [];
  const names = items.map(({ name }) => name);
  const texts = fitNames(names, room, size);
  for (const [index, { color }] of items.entries()) {
    const text = texts[index] ?? "";
    const needed = dot + textWidth(text, size);
    const last = rows.at(-1);
    if (last && last.width + gap + needed <= width) {
      last.texts.push({ text, color, width: needed });
      last.width += gap + needed;
    } else rows.push({ texts: [{ text, color, width: needed }], width: needed });
  }
  return rows;
}

/** The last row ends with how many names have no room. */
function withRest(rows: readonly LegendRow[], count: number, width: number): LegendRow[] {
  const texts = [...(rows.at(-1)?.texts ?? [])];
  const others = rows.slice(0, -1);
  const before = others.reduce((sum, row) => sum + row.texts.length, 0);
  for (;;) {
    const text = `and ${formatCount(count - before - texts.length)} more`;
    const rest = { text, color: undefined, width: textWidth(text, size) };
    const all = [...texts, rest];
    const needed = all.reduce((sum, one) => sum + one.width, 0) + gap * texts.length;
    if (needed <= width || texts.length === 0) return [...others, { texts: all, width: needed }];
    texts.pop();
  }
}
