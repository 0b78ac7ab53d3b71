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

export const colorAt = (index: number): string => palette[index % palette.length] ?? palette[0];
