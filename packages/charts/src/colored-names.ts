import type { ChartElement } from "@querybell/domain/jsx-config";
import { isRest } from "./arrange.ts";
import type { ChartRows } from "./chart-data.ts";
import { autoText } from "./formats.ts";
import { colorAt, othersColor } from "./palette.ts";
import { categoryOf, isSplitKey, splitMarks } from "./split-marks.ts";

/** The values of a split, or the names of a pie, each with the colour that it has without another choice. */
export function namesWithColors(root: ChartElement, rows: ChartRows): { name: string; color: string }[] {
  // Without the colours that were chosen.
  const plain = { ...root, children: root.children.map((mark) => ({ ...mark, children: [] })) };
  const { element, data } = splitMarks(plain, rows);
  if (root.name === "PieChart") {
    const category = categoryOf(root);
    const names = data
      .filter((row) => !isRest(row))
      .map((row) => (category === undefined ? undefined : row[category]));
    return names.flatMap((name, index) =>
      name === null || name === undefined || autoText(name).trim() === ""
        ? []
        : [{ name: autoText(name).trim(), color: colorAt(index) }],
    );
  }
  const marks = element.children.filter(({ name }) => ["Line", "Bar", "Area", "Scatter"].includes(name));
  return marks.flatMap(({ props: { dataKey, name, fill } }, index) =>
    isSplitKey(dataKey) && typeof name === "string" && fill !== othersColor
      ? [{ name, color: colorAt(index) }]
      : [],
  );
}
