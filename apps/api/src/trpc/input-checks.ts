import { AppError, type ErrorCode, errorCodes } from "@querybell/domain";
import type { ZodError } from "zod";

const maxDepth = 100;
/** More than any input needs: a run binds at most 20,000 values. */
const maxValues = 25_000;
const maxFields = 200;
/** Only parameter values have longer lists, and those contain no objects or lists. */
const maxMixedEntries = 1000;

/**
 * Rejects malformed input before the procedure's own schema parses it:
 *
 * - text with a NUL character or an unpaired surrogate, which Postgres cannot store;
 * - a field named `__proto__`, which schemas silently ignore;
 * - nesting so deep that recursive functions, like this one, would overflow the stack;
 * - so many values that parsing them would block the event loop: schemas take 10 to 100 times as long as
 *   JSON.parse, and create an error for each invalid value.
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
  if (++seen.values > maxValues) throw invalidRequest(`The input has more than ${maxValues} values.`);
  if (typeof value === "string") return isMalformed(value) ? [] : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  if (depth === maxDepth) throw invalidRequest(`The input is nested more than ${maxDepth} levels deep.`);
  refuseLargeCollection(value);
  for (const [key, inner] of Object.entries(value)) {
    if (key === "__proto__") throw invalidRequest("Nothing can be named __proto__. Choose another name.");
    const path = isMalformed(key) ? [] : pathOfMalformed(inner, depth + 1, seen);
    if (path) return [key, ...path];
  }
  return undefined;
}

const isMalformed = (text: string): boolean => text.includes("\0") || !text.isWellFormed();

function refuseLargeCollection(value: object): void {
  if (!Array.isArray(value)) {
    if (Object.keys(value).length > maxFields) {
      throw invalidRequest(`The input has an object of more than ${maxFields} fields.`);
    }
  } else if (value.length > maxMixedEntries && !value.every(isScalar)) {
    throw invalidRequest(
      `The input has a list of more than ${maxMixedEntries} entries that are not all texts, numbers, true or false.`,
    );
  }
}

const isScalar = (value: unknown): boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

const invalidRequest = (message: string) => new AppError("invalid_request", message);

// Limits the size of an error response.
const maxListedErrors = 20;
const maxMessageLength = 500;

/** Converts validation errors to an AppError that names each field. */
export function invalidInput(cause: ZodError): AppError {
  const errors = cause.issues
    .slice(0, maxListedErrors)
    .map(({ path, message }) => ({ path: path.join("."), message: message.slice(0, maxMessageLength) }));
  const [first] = errors;
  const detail = first ? `${first.path || "The input"}: ${first.message}` : errorCodes.invalid_request.title;
  return new AppError(codeFor(errors), detail, { errors, cause });
}

/** An invalid cursor has its code, unless other fields are invalid too. */
const codeFor = (errors: { path: string }[]): ErrorCode =>
  errors.length > 0 && errors.every(({ path }) => path === "cursor") ? "invalid_cursor" : "invalid_request";
