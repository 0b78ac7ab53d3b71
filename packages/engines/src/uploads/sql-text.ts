/** A literal of SQL. */
export const sqlString = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A name of SQL. */
export const sqlName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const sqlMap = (entries: readonly (readonly [name: string, type: string])[]): string =>
  `{${entries.map(([name, type]) => `${sqlString(name)}: ${sqlString(type)}`).join(", ")}}`;
