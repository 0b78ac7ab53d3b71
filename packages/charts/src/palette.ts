/** Distinct for colour-blind readers, with contrast in both colour schemes; the product's own colours come first. */
export const palette = [
  "#b87d10",
  "#3b6fb5",
  "#2f8f5f",
  "#c2573a",
  "#7a5bb0",
  "#2a8c94",
  "#b0487e",
  "#7d7f2a",
] as const;

/** For what several small series add up to. */
export const othersColor = "#87877f";

/** The same colours for the dark scheme, where thin lines need more light. */
const dark = new Map<string, string>([
  [palette[0], "#d9a13a"],
  [palette[1], "#6f9fe0"],
  [palette[2], "#4fb682"],
  [palette[3], "#e0805f"],
  [palette[4], "#a48be0"],
  [palette[5], "#4bb5be"],
  [palette[6], "#d97aae"],
  [palette[7], "#a9ab52"],
  [othersColor, "#9c9c94"],
]);

/** What a colour is in the dark scheme. One that is not of the palette was chosen by somebody, and stays. */
export const inDark = (color: string): string => dark.get(color.toLowerCase()) ?? color;

export const colorAt = (index: number): string => palette[index % palette.length] ?? palette[0];
