import type { z } from "zod";

/**
 * The messages of invalid inputs where a schema has none. Each says what to do, and follows the name of the
 * field: `limit: must be at most 100`. Pass them when you parse an input: `schema.parse(input,
 * inputMessages)`.
 */
export const inputMessages: z.core.ParseContext<z.core.$ZodIssue> = { error: (issue) => toMessage(issue) };

const toMessage: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${nameOf(issue.expected)}`;
    case "invalid_value":
      return oneOf(issue.values);
    case "invalid_union":
      return issue.inclusive !== false && issue.options ? oneOf(issue.options) : undefined;
    case "too_small":
      return `must ${sized(issue.origin, "at least", issue.minimum)}`;
    case "too_big":
      return `must ${sized(issue.origin, "at most", issue.maximum)}`;
    case "unrecognized_keys":
      return `takes no ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}: ${
        issue.keys.length === 1
          ? "leave it out, or correct its name"
          : "leave them out, or correct their names"
      }`;
    case "invalid_key":
      return issue.issues[0]?.message;
    default:
      return undefined;
  }
};

/** The message of a schema for an invalid value. An absent value gets the default message `is required`. */
export const unlessAbsent = (message: string) => (issue: { input?: unknown }) =>
  issue.input === undefined ? undefined : message;

const names: Partial<Record<string, string>> = {
  string: "a text",
  int: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

const nameOf = (expected: string): string => names[expected] ?? `of the type ${expected}`;

const oneOf = (values: readonly z.core.util.Primitive[]): string =>
  values.length === 1 ? `must be ${String(values[0])}` : `must be one of ${values.map(String).join(", ")}`;

function sized(origin: string, bound: string, size: number | bigint): string {
  const isOne = Number(size) === 1;
  if (origin === "string") return `have ${bound} ${size} ${isOne ? "character" : "characters"}`;
  if (origin === "array") return `have ${bound} ${size} ${isOne ? "entry" : "entries"}`;
  return `be ${bound} ${size}`;
}
