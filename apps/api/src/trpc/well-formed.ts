import { AppError } from "@querybell/domain";

const maxDepth = 100;

/**
 * Refuses text that no database stores: a NUL character, or half of a character pair. It may be anywhere in
 * an input, so it is looked for once, before the input's own schema. Refuses too what is nested so deeply that
 * functions which call themselves for every level, like this one, would run out of stack.
 */
export function refuseMalformedText(input: unknown): void {
  const path = pathOfMalformed(input, 0);
  if (path === undefined) return;
  throw new AppError(
    "invalid_request",
    "The input has text with a NUL or half a character in it. Remove that.",
    {
      errors: [{ path: path.join("."), message: "must be well-formed text without NUL characters" }],
    },
  );
}

function pathOfMalformed(value: unknown, depth: number): string[] | undefined {
  if (typeof value === "string") return value.includes("\0") || !value.isWellFormed() ? [] : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  if (depth === maxDepth)
    throw new AppError("invalid_request", `The input is nested more than ${maxDepth} levels deep.`);
  for (const [key, inner] of Object.entries(value)) {
    const path = pathOfMalformed(key, depth) ?? pathOfMalformed(inner, depth + 1);
    if (path) return [key, ...path];
  }
  return undefined;
}
