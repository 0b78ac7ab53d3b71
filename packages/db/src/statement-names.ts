const mostNamed = 500;

/**
 * Names for statements, by their text, so that a connection plans each one once. Lists of values make new texts
 * without end, and a connection keeps every plan: only the first few hundred are named.
 */
export function createStatementNames(): (statement: { sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (names.size === mostNamed) return "";
    const name = `prisma_${names.size}`;
    names.set(sql, name);
    return name;
  };
}
