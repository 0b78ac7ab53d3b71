import { z } from "zod";
import { EngineError } from "../engine.ts";

const JsonError = z.object({
  exception_type: z.string(),
  exception_message: z.string(),
  position: z.coerce.number().int().optional(),
});

/** DuckDB's errors are JSON, sometimes behind a prefix; those of its driver are plain text. */
function readError(error: unknown): { message: string; position?: number | undefined } {
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

/** `statement` is the text that was given to the engine, if the error is about one. */
export function toEngineError(error: unknown, statement?: string): EngineError {
  if (error instanceof EngineError) return error;
  const { message, position } = readError(error);
  const code = /^Out of Memory Error/.test(message) ? "out_of_memory" : "query_failed";
  const offset =
    statement === undefined || position === undefined ? undefined : toOffset(statement, position);
  return new EngineError(code, message, { cause: error, offset });
}

/** DuckDB counts the bytes of UTF-8. */
const toOffset = (text: string, bytes: number): number =>
  Buffer.from(text).subarray(0, bytes).toString().length;
