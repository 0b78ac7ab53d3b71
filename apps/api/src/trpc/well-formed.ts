import { AppError } from "@querybell/domain";
import { codeFor } from "./error-shape.ts";

const maxDepth = 100;

/**
 * Refuses what no schema should have to think of, anywhere in an input, before the input's own schema:
 *
 * - text that no database stores, with a NUL character or half of a character pair in it;
 * - a field named `__proto__`, which schemas pass over in silence;
 * - so many levels that functions which call themselves for each, like this one, would run out of stack.
 */
export function refuseMalformedInput(input: unknown): void {
  const path = pathOfMalformed(input, 0);
  if (path === undefined) return;
  const errors = [{ path: path.join("."), message: "must be well-formed text without NUL characters" }];
  throw new AppError(
    codeFor(errors),
    "The input has text with a NUL or half a character in it. Remove that.",
    { errors },
  );
}

function pathOfMalformed(value: unknown, depth: number): string[] | undefined {
  if (typeof value === "string") return value.includes("\0") || !value.isWellFormed() ? [] : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  if (depth === maxDepth) throw refusal(`The input is nested more than ${maxDepth} levels deep.`);
  for (const [key, inner] of Object.entries(value)) {
    if (key === "__proto__") throw refusal("Nothing can be named __proto__. Choose another name.");
    const path = pathOfMalformed(key, depth) ?? pathOfMalformed(inner, depth + 1);
    if (path) return [key, ...path];
  }
  return undefined;
}

const refusal = (message: string) => new AppError("invalid_request", message);
