import type { Slot } from "../placeholders/dialect.ts";
import { isWrittenUnquoted } from "../placeholders/slot.ts";

/** The one place where a value becomes SQL for Trino: a literal with its type, for `USING` and for `renderedSql`. */
export function writeLiteral({ value, typed }: Pick<Slot, "value" | "typed">): string {
  const { type, text } = value;
  if (typed) return `${typed.word} ${quote(text)}${typed.unit && ` ${typed.unit}`}`;
  if (isWrittenUnquoted(value)) return text;
  switch (type) {
    case "text":
      return quote(text);
    case "int4":
      return `INTEGER ${quote(text)}`;
    case "int8":
      return `BIGINT ${quote(text)}`;
    case "number":
      return `DOUBLE ${quote(text)}`;
    case "boolean":
      return text;
    case "date":
      return `DATE ${quote(text)}`;
    case "timestamp":
      // From 2024-01-31T10:00:00Z, the form in which values are stored.
      return `TIMESTAMP ${quote(text.replace("T", " ").replace("Z", " UTC"))}`;
  }
}

/** No character but the quote itself means anything inside of Trino's strings. */
export const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const literalPattern = /^(?:\d+|true|false|(?:[A-Z]+ )?'(?:[^']|'')*'(?: [A-Z]+(?: TO [A-Z]+)?)?)$/;

/** `EXECUTE IMMEDIATE` takes expressions. Whatever comes here, nothing but a literal goes there. */
export const isLiteral = (sql: string): boolean => literalPattern.test(sql);
