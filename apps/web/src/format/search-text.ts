/** Changes text parameters of the query string and removes empty ones. */
export const changeTexts = (
  before: Readonly<Record<string, string | undefined>>,
  changed: Readonly<Record<string, string | undefined>>,
) => Object.fromEntries(Object.entries({ ...before, ...changed }).filter(([, value]) => value));

/** Reads the text parameters with these names from the query string. Empty ones count as absent. */
export function readTexts<const Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
): { [Key in Name]?: string } {
  const found: { [Key in Name]?: string } = {};
  for (const name of names) {
    const value = search[name];
    if (typeof value === "string" && value !== "") found[name] = value;
  }
  return found;
}
