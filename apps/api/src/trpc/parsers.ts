import { inputMessages } from "@querybell/domain";
import type { z } from "zod";

// Parsers for procedures, made from schemas. Both parse synchronously: with a bare schema tRPC calls `parseAsync`, which
// in zod takes several times as long. The generated reference reads `zodSchema`.

/** The input of a procedure: read once, here. An invalid one gets the messages of `inputMessages`. */
export function parsed<Schema extends z.ZodType>(schema: Schema) {
  // Only the types are used: tRPC infers from them what a client sends and what a procedure gets.
  const { _input, _output }: Pick<Schema, "_input" | "_output"> = schema;
  const parse = (input: unknown): z.output<Schema> => schema.parse(input, inputMessages);
  return Object.assign(parse, { zodSchema: schema, _input, _output });
}

/** The output of a procedure: checked once, here. Fields that the schema does not name are left out. */
export const checked = <Schema extends z.ZodType>(schema: Schema) =>
  Object.assign((output: unknown): z.output<Schema> => schema.parse(output), { zodSchema: schema });
