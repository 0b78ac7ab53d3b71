import { tokenize } from "@querybell/statements/tokenizer";
import { EngineError } from "../engine.ts";
import type { QueryError } from "./protocol.ts";
import { isLiteral, quote, trinoDialect } from "./trino-engine.ts";

/** The statement of the author, and the values of its parameters as typed literals. */
export interface SentStatement {
  text: string;
  values: readonly string[];
}

type Location = NonNullable<QueryError["errorLocation"]>;

const opening = "EXECUTE IMMEDIATE '";
const separator = ", ";

/** What is sent to Trino. */
export function toSentText({ text, values }: SentStatement): string {
  if (values.length === 0) return text;
  if (!values.every(isLiteral)) throw new EngineError("query_failed", "A value is not a literal of Trino.");
  return `${beforeValues(text)}${values.join(separator)}`;
}

const beforeValues = (text: string): string => `${opening}${quote(text).slice(1)} USING `;

/**
 * The offset in the statement of a location that Trino returns. With values, Trino counts in the statement inside
 * `EXECUTE IMMEDIATE` as if its quotes were not doubled, and in the values as they were sent: the last line of the
 * statement ends before any value begins. The place of a value is the place of its parameter.
 */
export function offsetIn(sent: SentStatement, location: Location): number | undefined {
  const { text, values } = sent;
  if (values.length === 0) return offsetAt(text, location);
  const { lineNumber, columnNumber } = location;
  const column = columnNumber - (lineNumber === 1 ? opening.length : 0);
  return offsetAt(text, { lineNumber, columnNumber: column }) ?? offsetOfValue(sent, location);
}

function offsetOfValue({ text, values }: SentStatement, location: Location): number | undefined {
  const at = offsetAt(toSentText({ text, values }), location);
  let end = beforeValues(text).length;
  if (at === undefined || at < end) return undefined;
  const index = values.findIndex((value) => {
    end += value.length + separator.length;
    return at < end;
  });
  const parameters = tokenize(text, trinoDialect).filter(({ kind }) => kind === "driverParameter");
  return parameters[index]?.start;
}

/** Trino counts lines and code points from 1. Undefined beyond the end of the line. */
function offsetAt(text: string, { lineNumber, columnNumber }: Location): number | undefined {
  const lines = text.split("\n");
  const line = lines[lineNumber - 1];
  if (line === undefined || columnNumber < 1) return undefined;
  const characters = [...line];
  if (columnNumber > characters.length + 1) return undefined;
  const before = lines.slice(0, lineNumber - 1).reduce((length, each) => length + each.length + 1, 0);
  return before + characters.slice(0, columnNumber - 1).join("").length;
}
