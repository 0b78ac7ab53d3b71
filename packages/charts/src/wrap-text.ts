import { type FontWeight, fitText, textWidth } from "./text-width.ts";

/** Breaks a text into lines, the last of which is cut if it does not fit. */
export function wrapText(text: string, room: number, size: number, maxLines: number): string[] {
  const lines: string[] = [];
  for (const word of text.trim().split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(`${last} ${word}`, size, 600) <= room)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  if (lines.length <= maxLines) return lines.map((line) => fitText(line, room, size));
  const rest = lines.slice(maxLines - 1).join(" ");
  return [...lines.slice(0, maxLines - 1), fitText(rest, room, size, 600)];
}

/** Words that are written alike. */
export interface TextRun {
  text: string;
  weight: FontWeight;
}

/** Breaks text with words of several weights into lines. A word that is wider than the room is cut. */
export function wrapRuns(runs: readonly TextRun[], room: number, size: number): TextRun[][] {
  const lines: TextRun[][] = [];
  let width = 0;
  for (const { text, weight } of runs) {
    for (const [at, part] of text.split("\n").entries()) {
      if (at > 0 || lines.length === 0) {
        lines.push([]);
        width = 0;
      }
      const words = part.split(" ");
      for (const [index, one] of words.entries()) {
        const word = index < words.length - 1 ? `${one} ` : one;
        const needed = textWidth(word.trimEnd(), size, weight);
        if (width > 0 && width + needed > room) {
          lines.push([]);
          width = 0;
        }
        const line = lines.at(-1);
        const last = line?.at(-1);
        const fitted = needed > room ? fitText(word, room, size, weight) : word;
        if (last?.weight === weight) last.text += fitted;
        else line?.push({ text: fitted, weight });
        width += textWidth(fitted, size, weight);
      }
    }
  }
  return lines;
}
