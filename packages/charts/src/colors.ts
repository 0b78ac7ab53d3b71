const safe = /^(?:#[\da-f]{3,8}|[a-z]{3,30}|(?:rgb|hsl|oklch|oklab|lab|lch|hwb)a?\([\d\s.,%/a-z-]{1,60}\))$/i;

/** A colour of the text, if it is one: anything else could refer to something outside of the chart. */
export const toColor = (value: unknown): string | undefined =>
  typeof value === "string" && safe.test(value.trim()) ? value.trim() : undefined;
