/** SQL of our source. Text of others is part of it only as a quoted string or name, or as a type. */
class TrustedSqlText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }
}

/** Only the functions of this file can make one, so the type says that no text of others runs as SQL. */
export type TrustedSql = TrustedSqlText;

/** The tag of a template whose fixed parts are SQL. */
export const sql = ({ raw }: TemplateStringsArray, ...parts: (TrustedSql | number)[]): TrustedSql =>
  new TrustedSqlText(
    raw.reduce((text, fixed, index) => {
      const part = parts[index - 1] ?? "";
      return `${text}${typeof part === "object" ? part.text : part}${fixed}`;
    }),
  );

const quoteString = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A literal. */
export const sqlString = (text: string): TrustedSql => new TrustedSqlText(quoteString(text));

/** The name of a table or a column. */
export const sqlName = (name: string): TrustedSql => new TrustedSqlText(quoteName(name));

export const sqlJoin = (items: readonly TrustedSql[], separator: " " | ", "): TrustedSql =>
  new TrustedSqlText(items.map(({ text }) => text).join(separator));

export const sqlList = (items: readonly TrustedSql[]): TrustedSql => sqlJoin(items, ", ");

export const sqlMap = (entries: readonly (readonly [key: string, value: string])[]): TrustedSql =>
  sql`{${sqlList(entries.map(([key, value]) => sql`${sqlString(key)}: ${sqlString(value)}`))}}`;

const typeToken = /\s+|\d+|[A-Za-z_][A-Za-z0-9_]*(?!['"])|"(?:[^"]|"")*"|'(?:[^']|'')*'|[()[\],]/y;

/** The name of a type, such as `STRUCT("a b" DECIMAL(18,2)[])`. Refuses a text that could be more than that. */
export function sqlType(type: string): TrustedSql {
  let depth = 0;
  typeToken.lastIndex = 0;
  while (typeToken.lastIndex < type.length) {
    const [token] = typeToken.exec(type) ?? [];
    if (token === "(" || token === "[") depth++;
    if (token === ")" || token === "]") depth--;
    if (token === undefined || depth < 0) throw notType(type);
  }
  if (depth !== 0 || type.trim() === "") throw notType(type);
  return new TrustedSqlText(type);
}

const notType = (type: string) => new Error(`${type.slice(0, 100)} is not the name of a type.`);
