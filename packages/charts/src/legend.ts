import type { SceneNode } from "./scene.ts";
import { fitText, textWidth } from "./text-width.ts";

export interface LegendItem {
  name: string;
  color: string;
}

const size = 12;
const rowHeight = 20;
const gap = 16;
const dot = 14;
const maxRows = 4;

export interface Legend {
  height: number;
  /** Its nodes, with its upper edge at this height. */
  draw(top: number): SceneNode[];
}

/** The names of the series, in centred rows. */
export function layOutLegend(
  items: readonly LegendItem[],
  { left, width, color }: { left: number; width: number; color: string },
): Legend {
  const rows: { texts: { text: string; color: string; width: number }[]; width: number }[] = [];
  for (const { name, color: own } of items) {
    const text = fitText(name, Math.min(220, width - dot), size);
    const needed = dot + textWidth(text, size);
    const last = rows.at(-1);
    if (last && last.width + gap + needed <= width) {
      last.texts.push({ text, color: own, width: needed });
      last.width += gap + needed;
    } else rows.push({ texts: [{ text, color: own, width: needed }], width: needed });
  }
  const shown = rows.slice(0, maxRows);
  return {
    height: shown.length * rowHeight,
    draw: (top) =>
      shown.flatMap((row, index) => {
        let x = left + (width - row.width) / 2;
        const y = top + index * rowHeight + rowHeight / 2;
        return row.texts.flatMap(({ text, color: own, width: needed }): SceneNode[] => {
          const at = x;
          x += needed + gap;
          return [
            { kind: "circle", part: "legend", x: at + 4, y, r: 4, fill: own },
            { kind: "text", part: "legend", x: at + dot, y: y + 4, text, size, fill: color, anchor: "start" },
          ];
        });
      }),
  };
}
