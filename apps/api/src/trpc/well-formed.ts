import { AppError } from "@querybell/domain";
import { codeFor } from "./error-shape.ts";

const maxDepth = 100;
/** More than any input needs: a run binds at most 20,000 values. */
const maxValues = 25_000;
const maxFields = 200;
/** Longer lists are values of a parameter, which are never nested. */
const maxMixedEntries = 1000;

/**
 * Refuses what no schema should have to think of, anywhere in an input, before the input's own schema:
 *
 * - text that no database stores, with a NUL character or half of a character pair in it;
 * - a field named `__proto__`, which schemas pass over in silence;
 * - so many levels that functions which call themselves for each, like this one, would run out of stack;
 * - so many values that reading them would hold up everybody else: schemas take 10 to 100 times as long as
 *   JSON.parse, and write an error for each value that is wrong.
 */
export function refuseMalformedInput(input: unknown): void {
  const path = pathOfMalformed(input, 0, { values: 0 });
  if (path === undefined) return;
  const errors = [{ path: path.join("."), message: "must be well-formed text without NUL characters" }];
  throw new AppError(
    codeFor(errors),
    "The input has text with a NUL or half a character in it. Remove that.",
    { errors },
  );
}

function pathOfMalformed(value: unknown, depth: number, seen: { values: number }): string[] | undefined {
  if (++seen.values > maxValues) throw refusal(`The input has more than ${maxValues} values.`);
  if (typeof value === "string") return isMalformed(value) ? [] : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  if (depth === maxDepth) throw refusal(`The input is nested more than ${maxDepth} levels deep.`);
  refuseHuge(value);
  for (const [key, inner] of Object.entries(value)) {
    if (key === "__proto__") throw refusal("Nothing can be named __proto__. Choose another name.");
    const path = isMalformed(key) ? [] : pathOfMalformed(inner, depth + 1, seen);
    if (path) return [key, ...path];
  }
  return undefined;
}

const isMalformed = (text: string): boolean => text.includes("\0") || !text.isWellFormed();

function refuseHuge(value: object): void {
  if (!Array.isArray(value)) {
    if (Object.keys(value).length > maxFields) {
      throw refusal(`The input has an object of more than ${maxFields} fields.`);
    }
  } else if (value.length > maxMixedEntries && !value.every(isScalar)) {
    throw refusal(
      `The input has a list of more than ${maxMixedEntries} entries that are not all texts, numbers, true or false.`,
    );
  }
}

const isScalar = (value: unknown): boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

const refusal = (message: string) => new AppError("invalid_request", message);
