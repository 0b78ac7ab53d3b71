import { type Block, type Inline, parseMarkdown } from "@querybell/domain/markdown";
import type { ChartTheme, SceneNode } from "./scene.ts";
import { type FontWeight, fitText, textWidth } from "./text-width.ts";
import { type TextRun, wrapRuns } from "./wrap-text.ts";

interface TextDrawing {
  width: number;
  height: number;
  theme: ChartTheme;
}

interface Line {
  runs: TextRun[];
  size: number;
  height: number;
  indent: number;
}

const plainSize = 14;
const headingSizes = [22, 18, 16];

/** The text of a tile. A text that is too long ends with an ellipsis. */
export function markdownNodes(text: string, { width, height, theme }: TextDrawing): SceneNode[] {
  const lines = parseMarkdown(text).flatMap((block) => linesOf(block, width));
  const nodes: SceneNode[] = [];
  let y = 0;
  for (const [at, line] of lines.entries()) {
    y += line.height;
    const next = lines[at + 1];
    const isLast = next !== undefined && y + next.height > height;
    const runs = isLast ? cut(line, width) : line.runs;
    let x = line.indent;
    for (const { text, weight } of runs) {
      const { size } = line;
      nodes.push({
        ...{ kind: "text", part: "label", x, y: y - line.height + size, text, size, weight },
        ...{ fill: theme.text, anchor: "start" },
      });
      x += textWidth(text, size, weight);
    }
    if (isLast) break;
  }
  return nodes;
}

const cut = ({ runs, size, indent }: Line, width: number): TextRun[] => {
  const text = runs.map((run) => run.text).join("");
  return [{ text: fitText(`${text.trimEnd()} …`, width - indent, size), weight: 400 }];
};

function linesOf(block: Block, width: number): Line[] {
  switch (block.kind) {
    case "heading": {
      const size = headingSizes[block.level - 1] ?? plainSize;
      return toLines(runsOf(block.parts, 600), { size, width });
    }
    case "paragraph":
      return toLines(runsOf(block.parts), { size: plainSize, width });
    case "quote":
      return toLines(runsOf(block.parts), { size: plainSize, width, indent: 16 });
    case "code":
      return toLines([{ text: block.text, weight: 400 }], { size: 13, width, indent: 8 });
    case "rule":
      return [];
    case "list":
      return block.items.flatMap((parts, at) => {
        const mark = block.isOrdered ? `${at + 1}. ` : "• ";
        return toLines([{ text: mark, weight: 400 }, ...runsOf(parts)], {
          ...{ size: plainSize, width, indent: 12, isTight: true },
        });
      });
  }
}

interface LineLook {
  size: number;
  width: number;
  indent?: number;
  /** Without room below it. */
  isTight?: boolean;
}

function toLines(runs: TextRun[], { size, width, indent = 0, isTight = false }: LineLook): Line[] {
  const lines = wrapRuns(runs, width - indent, size);
  const height = Math.round(size * 1.45);
  return lines.map((line, at) => ({
    runs: line,
    size,
    height: height + (!isTight && at === lines.length - 1 ? 8 : 0),
    indent,
  }));
}

function runsOf(parts: readonly Inline[], weight: FontWeight = 400): TextRun[] {
  return parts.flatMap((part) => {
    switch (part.kind) {
      case "text":
        return [{ text: part.text.replaceAll("\n", " "), weight }];
      case "code":
        return [{ text: part.text, weight }];
      case "strong":
        return runsOf(part.parts, 600);
      default:
        return runsOf(part.parts, weight);
    }
  });
}
