import { z } from "zod";

const JsonError = z.object({
  exception_type: z.string(),
  exception_message: z.string(),
  position: z.coerce.number().int().optional(),
});

/** Errors of DuckDB are JSON, sometimes with a prefix. Errors of its driver are plain text. */
export function readError(error: unknown): { message: string; position?: number | undefined } {
  const text = (error instanceof Error ? error.message : String(error)).replace(
    /^Failed to extract statements: /,
    "",
  );
  const start = text.indexOf("{");
  const { data } = JsonError.safeParse(start === -1 ? undefined : parseJson(text.slice(start)));
  if (!data) return { message: text.trim() };
  return {
    message: `${data.exception_type} Error: ${data.exception_message}`.trim(),
    position: data.position,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const describeError = (error: unknown): string => readError(error).message;

/** DuckDB counts positions in bytes of UTF-8. */
export const offsetOfByte = (text: string, bytes = 0): number =>
  Buffer.from(text).subarray(0, bytes).toString().length;
