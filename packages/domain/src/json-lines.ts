import type { z } from "zod";

/** Parses a line of a file that has a JSON value in each, or says what is wrong with it. */
export function parseJsonLine<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
): { line: z.infer<Schema> } | { error: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { error: "The line is no JSON." };
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return { line: parsed.data };
  const [issue] = parsed.error.issues;
  return { error: `The line does not fit: ${issue?.path.join(".") || "it"}: ${issue?.message ?? ""}` };
}
