import type { Slot } from "@querybell/statements";
import { isWrittenUnquoted } from "@querybell/statements/dialect";

/** The only place where a value becomes SQL for Trino: a typed literal, for `USING` and for `renderedSql`. */
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
      // Values are stored as 2024-01-31T10:00:00Z.
      return `TIMESTAMP ${quote(text.replace("T", " ").replace("Z", " UTC"))}`;
  }
}

/** The quote is the only special character inside Trino's strings. */
export const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const literalPattern = /^(?:\d+|true|false|(?:[A-Z]+ )?'(?:[^']|'')*'(?: [A-Z]+(?: TO [A-Z]+)?)?)$/;

/** `EXECUTE IMMEDIATE` takes any expression, so the session checks that each value is exactly one literal. */
export const isLiteral = (sql: string): boolean => literalPattern.test(sql);
