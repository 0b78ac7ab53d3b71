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

/**
 * How values travel in results, the same for every engine:
 * - integer: a JSON number up to 2^53 - 1 either side of zero, a string of digits beyond
 * - number: a JSON number; "NaN", "Infinity" and "-Infinity" as these strings; -0 as 0
 * - decimal: always a string, with all its digits ("NaN" and "Infinity" too, where the engine has them)
 * - date 2024-01-31, time 10:00:00.5 or 10:00:00+02:00, timestamp 2024-01-31T10:00:00.5 where the type has
 *   no zone and the same with a Z, in UTC, where it has one; "infinity" and "-infinity" as these strings;
 *   years outside 0000 to 9999 in ISO 8601's expanded form, +012024-01-31
 * - binary: base64
 * - json: nested values as JSON, made of the forms above; a number in stored JSON that a double cannot
 *   hold is a string of its digits. Lists and arrays are arrays, structs objects (arrays where their
 *   entries have no names), maps arrays of {key, value}, unions {tag, value}
 * - string: everything else as its text: enums, UUIDs, bit strings, ranges; intervals in ISO 8601 (P1DT2H)
 * - NULL is null. Field names repeat where the statement repeats them.
 */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** How much of a result a step shows. */
export const previewLimits = { rows: 100, columns: 100, textCharacters: 100 } as const;

// A text that was cut ends with an ellipsis.
const PreviewText = z.string().max(previewLimits.textCharacters + 1);

/**
 * The first rows of a result, kept with its step for ever, because newer runs replace the result itself.
 * Enough for the chart of a small result. The size is limited, because every change of the step sends it to
 * all watchers of the run.
 */
export const ResultPreview = z.object({
  fields: z.array(Field.extend({ name: PreviewText })).max(previewLimits.columns),
  rows: z
    .array(z.array(z.union([PreviewText, z.number(), z.boolean(), z.null()])).max(previewLimits.columns))
    .max(previewLimits.rows),
  rowCount: z.int().describe("The number of rows of the whole result"),
  cut: z.boolean().describe("Whether a limit cut the result itself short"),
});
export type ResultPreview = z.infer<typeof ResultPreview>;

/** How many columns of a past result have figures. */
export const maxFigureColumns = 20;

const Figure = z.string().max(401).nullable().describe("A number with all its digits. Null if there is none");

/** Figures of the columns with numbers of a past result, exact. Their names are unique. */
export const PastFigures = z.object({
  columns: z
    .array(
      z.object({
        name: z.string().max(200),
        first: Figure.describe("Of the first row"),
        sum: Figure,
        minimum: Figure,
        maximum: Figure,
        given: z.int().nonnegative().describe("How many rows have a number"),
      }),
    )
    .max(maxFigureColumns),
});
export type PastFigures = z.infer<typeof PastFigures>;
