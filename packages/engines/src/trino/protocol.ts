import { z } from "zod";

/** The parts of Trino's type that its text would have to be parsed for. */
export interface TypeSignature {
  rawType: string;
  arguments: TypeArgument[];
}

interface TypeArgument {
  kind: string;
  value?: unknown;
}

const TypeSignature: z.ZodType<TypeSignature> = z.object({
  rawType: z.string(),
  arguments: z.array(z.object({ kind: z.string(), value: z.unknown() })).default([]),
});

const NamedType = z.object({
  fieldName: z.object({ name: z.string() }).nullish(),
  typeSignature: TypeSignature,
});

/** The types inside a type: of an array's items, a map's keys and values, a row's fields. */
export function innerTypes(signature: TypeSignature): { name: string | undefined; type: TypeSignature }[] {
  return signature.arguments.flatMap(({ kind, value }) => {
    if (kind === "TYPE") return [{ name: undefined, type: TypeSignature.parse(value) }];
    if (kind !== "NAMED_TYPE") return [];
    const { fieldName, typeSignature } = NamedType.parse(value);
    return [{ name: fieldName?.name, type: typeSignature }];
  });
}

const QueryError = z.object({
  message: z.string().default("Trino gave no reason."),
  errorName: z.string().default(""),
  errorLocation: z.object({ lineNumber: z.int(), columnNumber: z.int() }).nullish(),
});
export type QueryError = z.infer<typeof QueryError>;

// Everything is a count of a cluster, and may be missing early in a query's life.
const count = z.int().nonnegative().catch(0).default(0);

const QueryStatistics = z.object({
  state: z.string().max(100).default("QUEUED"),
  processedRows: count,
  processedBytes: count,
  completedSplits: count,
  totalSplits: count,
});
export type QueryStatistics = z.infer<typeof QueryStatistics>;

/** One answer of `/v1/statement`. The values in `data` are read by the columns' types. */
export const ResultPage = z.object({
  id: z.string(),
  nextUri: z.string().optional(),
  columns: z.array(z.object({ name: z.string(), type: z.string(), typeSignature: TypeSignature })).optional(),
  // Not parsed value by value: there can be millions.
  data: z
    .custom<unknown[][]>((rows) => Array.isArray(rows) && rows.every((row) => Array.isArray(row)))
    .optional(),
  stats: QueryStatistics,
  error: QueryError.optional(),
});
export type ResultPage = z.infer<typeof ResultPage>;
export type ResultColumn = NonNullable<ResultPage["columns"]>[number];

/** What `/v1/query` tells of the queries that the user may see: a user may always see its own. */
export const QueryList = z.array(
  z.object({
    queryId: z.string(),
    state: z.string(),
    session: z.object({ traceToken: z.string().nullish() }),
  }),
);
export const endedStates: ReadonlySet<string> = new Set(["FINISHED", "FAILED"]);
