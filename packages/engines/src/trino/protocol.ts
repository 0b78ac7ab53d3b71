import { z } from "zod";

/** A type of Trino in parsed form. */
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

/** The inner types of a type: of an array's items, a map's keys and values, a row's fields. */
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

// Counts may be missing early in a query's life.
const count = z.int().nonnegative().catch(0).default(0);

const QueryStatistics = z.object({
  state: z.string().max(100).default("QUEUED"),
  processedRows: count,
  processedBytes: count,
  completedSplits: count,
  totalSplits: count,
});
export type QueryStatistics = z.infer<typeof QueryStatistics>;

/** One response of `/v1/statement`. The values in `data` are encoded by the types of the columns. */
export const ResultPage = z.object({
  id: z.string(),
  nextUri: z.string().optional(),
  columns: z.array(z.object({ name: z.string(), type: z.string(), typeSignature: TypeSignature })).optional(),
  // Values are not validated one by one, because there can be millions.
  data: z
    .custom<unknown[][]>((rows) => Array.isArray(rows) && rows.every((row) => Array.isArray(row)))
    .optional(),
  stats: QueryStatistics,
  error: QueryError.optional(),
});
export type ResultPage = z.infer<typeof ResultPage>;
export type ResultColumn = NonNullable<ResultPage["columns"]>[number];

/** The response of `/v1/query`: the queries that the user may see, which always include its own. */
export const QueryList = z.array(
  z.object({
    queryId: z.string(),
    state: z.string(),
    session: z.object({ traceToken: z.string().nullish() }),
  }),
);
export const endedStates: ReadonlySet<string> = new Set(["FINISHED", "FAILED"]);
