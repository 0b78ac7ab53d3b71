import { z } from "zod";

export const FieldType = z.enum([
  "integer",
  "number",
  "decimal",
  "boolean",
  "string",
  "date",
  "time",
  "timestamp",
  "json",
  "binary",
]);
export type FieldType = z.infer<typeof FieldType>;

export const Field = z.object({ name: z.string(), type: FieldType });
export type Field = z.infer<typeof Field>;
