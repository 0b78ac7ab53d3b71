const maxNames = 500;

/**
 * Names statements by their text, so that a connection plans each one once. Only the first few hundred get a name: lists
 * of values produce an unlimited number of texts, and a connection keeps every named plan.
 */
export function createStatementNames(): (statement: { sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (names.size === maxNames) return "";
    const name = `prisma_${names.size}`;
    names.set(sql, name);
    return name;
  };
}
