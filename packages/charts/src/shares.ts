const words = new Set(["rate", "share", "ratio", "percent", "percentage", "pct", "%"]);

/** Whether the name of a column says that its values are shares, which have no sum: `return_rate`. */
export const isNamedAsShare = (column: string): boolean =>
  column
    .toLowerCase()
    .split(/[^a-z0-9%]+/)
    .some((word) => words.has(word));
