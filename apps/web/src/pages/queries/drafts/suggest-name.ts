import { queryTitle } from "../query-title.ts";

const maxLength = 80;

/** A name for a query that has none: its first comment, its table and what it is grouped by, or its first line. */
export function suggestName(sql: string): string {
  const [comment = ""] = /^\s*--[^\n]*/.exec(sql) ?? [];
  const said = comment.replace(/^\s*-*\s*/, "").trim();
  const name = said === "" ? describeTable(sql) : said;
  return cut(name ?? queryTitle({ name: null, sql }));
}

function describeTable(sql: string): string | undefined {
  const [, table] = /\bfrom\s+([\w."]+)/i.exec(sql) ?? [];
  const subject = table === undefined ? "" : words(table);
  if (subject === "") return undefined;
  const [, grouped = ""] = /\bgroup\s+by\s+([\w.",\t ]+)/i.exec(sql) ?? [];
  const columns = grouped
    .split(",")
    .map((column) => words(column.trim().split(/\s/, 1)[0] ?? ""))
    // A number is the position of a column, and all is what DuckDB groups by.
    .filter((column) => column !== "" && !/^(?:\d+|all)$/i.test(column));
  return capitalized(columns.length === 0 ? subject : `${subject} by ${columns.join(" and ")}`);
}

/** The last part of a name, in words: `public.order_lines` is "order lines". */
const words = (name: string): string =>
  (name.replaceAll('"', "").split(".").at(-1) ?? "").replaceAll("_", " ").trim();

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const cut = (text: string): string =>
  (text.length > maxLength ? `${text.slice(0, maxLength - 1).trimEnd()}…` : text).toWellFormed();
