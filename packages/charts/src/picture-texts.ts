import type { ChartTheme, SceneNode, TextNode } from "./scene.ts";
import { wrapText } from "./wrap-text.ts";

interface Look {
  x: number;
  y: number;
  size: number;
  theme: ChartTheme;
  isDimmed?: boolean;
}

/** A line of text. Dimmed lines are not bold. */
export const textNode = (text: string, { x, y, size, theme, isDimmed = false }: Look): TextNode => ({
  ...{ kind: "text", part: "label", x, y, text, size, anchor: "start" },
  fill: isDimmed ? theme.dimmed : theme.text,
  ...(!isDimmed && { weight: 600 }),
});

const noteSize = 11;
const noteHeight = 15;

/** At most two lines of notes, so that the chart has room. */
export const noteLines = (notes: readonly string[], width: number): string[] =>
  notes.length === 0 ? [] : wrapText(notes.join(" "), width, noteSize, 2);

/** Notes at the lower edge of a tile. */
export const noteNodes = (
  lines: readonly string[],
  { height }: { height: number },
  theme: ChartTheme,
): SceneNode[] =>
  lines.map((line, at) =>
    textNode(line, {
      ...{ x: 0, y: height - 4 - (lines.length - 1 - at) * noteHeight },
      ...{ size: noteSize, theme, isDimmed: true },
    }),
  );

export const notesHeight = (lines: readonly string[]): number => lines.length * noteHeight;
