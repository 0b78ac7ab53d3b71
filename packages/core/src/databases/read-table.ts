import {
  AppError,
  type Caller,
  type ColumnProfile,
  type DatabaseColumnName,
  type DatabaseTableName,
  type ResultPreview,
  type TablePreview,
  type TableValue,
} from "@querybell/domain";
import { type EngineFailure, toTaskError, type WaitOptions } from "@querybell/engine-hosts";
import { refuseTableWithPolicy, refuseWithRoles } from "../access/row-policies.ts";
import type { Deps } from "../deps.ts";
import { openStored } from "./probe-database.ts";
import {
  type Measures,
  type NamedTable,
  selectFirstRows,
  selectFrequentValues,
  selectMeasures,
} from "./table-statements.ts";

type Scope = Pick<Caller, "organizationId">;

/** What is read for a person who looks at a table costs little, whatever the limits of its database are. */
const maxTimeMs = 20_000;
const maxBytes = 1024 ** 2;
const previewRows = 50;
const profileRows = 100_000;
const frequentValues = 5;

/** Reads the first rows of a table. Nothing is stored. */
export async function previewTable(
  deps: Deps,
  caller: Scope,
  { id, schema, table, signal }: DatabaseTableName & WaitOptions,
): Promise<TablePreview> {
  const reader = await openReader(deps, caller, { id, signal });
  // One more than are shown, to know whether there are more.
  const read = await reader.read({ schema, table }, selectFirstRows({ schema, table }, previewRows + 1));
  const rows = read.rows.slice(0, previewRows);
  return { fields: read.fields, rows, hasMore: read.cut || read.rowCount > rows.length };
}

/** Not every type can be compared or sorted, and types differ by engine: the first that the engine can compute is used. */
const allMeasures: Measures[] = [
  { distinct: true, range: true },
  { distinct: true, range: false },
  { distinct: false, range: false },
];

/** Computes what a column holds, from the first rows of its table. Nothing is stored. */
export async function profileColumn(
  deps: Deps,
  caller: Scope,
  { id, schema, table, column, signal }: DatabaseColumnName & WaitOptions,
): Promise<ColumnProfile> {
  const reader = await openReader(deps, caller, { id, signal });
  const sampled = { schema, table, column, maxRows: profileRows };
  const measured = await reader.readFirstPossible(
    { schema, table },
    allMeasures.map((measures) => selectMeasures(sampled, measures)),
  );
  const [row = []] = measured.rows;
  const [counted, rows, filled, distinct] = row.slice(0, 4).map(toCount);
  const [least = null, greatest = null] = row.slice(4);
  if (counted == null || rows == null || filled == null) throw unexpectedRow();
  const isUnique = distinct == null || distinct === filled;
  const frequent = isUnique
    ? undefined
    : await reader.read({ schema, table }, selectFrequentValues(sampled, frequentValues));
  return {
    type: (frequent?.fields[0] ?? measured.fields[4])?.type ?? "string",
    rows,
    isSample: counted > rows,
    nulls: rows - filled,
    distinct: distinct ?? null,
    range: least === null || greatest === null ? null : { least, greatest },
    frequent: (frequent?.rows ?? []).map(([value = null, count = null]) => ({
      value,
      count: toCount(count) ?? 0,
    })),
  };
}

const toCount = (value: TableValue): number | null => (typeof value === "number" ? value : null);

const unexpectedRow = () => new AppError("unavailable", "The database answered with no counts. Try again.");

/** Runs statements that Querybell writes on a stored database, and reads their first rows. */
async function openReader(deps: Deps, caller: Scope, { id, signal }: { id: string } & WaitOptions) {
  const { limits, rowPolicies, groupRoles, ...stored } = await openStored(deps, caller, id);
  refuseWithRoles(groupRoles);
  const { organizationId } = stored;
  const request = {
    ...stored,
    limits: {
      ...limits,
      timeMs: Math.min(limits.timeMs, maxTimeMs),
      bytes: Math.min(limits.bytes, maxBytes),
    },
  };

  async function read(table: NamedTable, text: string): Promise<ResultPreview> {
    refuseTableWithPolicy(table.table, rowPolicies);
    const outcome = await deps.engines.run({ ...request, statement: { text, values: [] } }, { signal });
    if (outcome.kind === "failed") throw toError(outcome.failure, table, signal);
    const { gzippedPieces, cutBy } = outcome;
    // A host reads the rows: what another host has written is not trusted.
    const computed = await deps.engines.compute(
      {
        organizationId,
        operation: { name: "preview" },
        results: [
          {
            cut: cutBy !== null,
            async *read() {
              yield* gzippedPieces;
            },
          },
        ],
      },
      { signal },
    );
    if (computed.kind === "failed") throw toError(computed.failure, table, signal);
    return computed.answer.preview;
  }

  return {
    read,
    /** Reads the first of these statements that the database can run. */
    async readFirstPossible(table: NamedTable, texts: string[]): Promise<ResultPreview> {
      for (const [index, text] of texts.entries()) {
        try {
          return await read(table, text);
        } catch (error) {
          const isRefused = error instanceof AppError && error.code === "query_failed";
          if (!isRefused || index === texts.length - 1) throw error;
        }
      }
      throw new Error("There is no statement to read.");
    },
  };
}

function toError(failure: EngineFailure, { table }: NamedTable, signal: AbortSignal | undefined): Error {
  switch (failure.code) {
    case "cancelled":
      signal?.throwIfAborted();
      return toTaskError(failure);
    case "query_timeout":
    case "out_of_memory":
      return new AppError(
        "query_failed",
        `Reading ${table} takes too long or too much memory. Query it yourself, with a condition.`,
      );
    default:
      return toTaskError(failure);
  }
}
