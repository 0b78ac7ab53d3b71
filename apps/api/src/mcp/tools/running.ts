import { currentRights } from "@querybell/core/access";
import { runSql } from "@querybell/core/drafts";
import { getSettings } from "@querybell/core/organizations";
import { findResult, getResultOfRun, readPlainRows, summarizeResultOfRun } from "@querybell/core/results";
import { cancelRun, getRun, runQuery, triggerOf, watchRun } from "@querybell/core/runs";
import {
  AppError,
  CutBy,
  describePosition,
  Field,
  FieldType,
  GivenValues,
  hasEnded,
  Id,
  isAtLeast,
  type ResultInfo,
  type Run,
  type RunDetail,
  RunSql,
  RunStatus,
} from "@querybell/domain";
import { z } from "zod";
import { maxContentCharacters, takeFitting, writeCount } from "../answers.ts";
import { defineTool, type ToolAnswer, type ToolCall } from "../tool.ts";

const maxCellCharacters = 500;
/** For everything of an answer besides its columns and rows. */
const otherCharacters = 3_000;

const pageInput = {
  maxRows: z.int().min(1).max(500).default(100),
  columns: z.array(z.string().max(200)).min(1).max(100).optional().describe("Only these"),
  waitSeconds: z.int().min(0).max(50).default(30).describe("How long to wait for the run to end"),
};

const Rows = z.object({
  runId: z.string(),
  status: RunStatus,
  ranAt: z.string().optional().describe("When the run ended"),
  isCached: z.boolean().optional().describe("Whether an earlier run answers"),
  columns: z.array(Field),
  rows: z.array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]))),
  rowCount: z.int().optional().describe("Rows of the whole stored result"),
  returnedRows: z.int(),
  truncated: z.boolean().describe("Whether rows, columns or texts are missing here"),
  nextCursor: z.string().optional().describe("For get_result; absent after the last row"),
  cutBy: CutBy.optional().describe("The limit that cut the stored result: it has not all rows of the query"),
  hiddenColumns: z.int().optional(),
  cutColumns: z.array(z.string()).describe("With texts that are cut"),
});

type RowsAnswer = ToolAnswer<z.input<typeof Rows>>;

const runQueryTool = defineTool({
  name: "run_query",
  description:
    "Answers the rows of a saved query: from its stored result for these values or, if there is none or fresh is true, by running it. Cancelling the call cancels the run.",
  effect: "reads",
  access: "viewer",
  scopes: ["queries:run", "queries:read"],
  input: z.strictObject({
    id: Id.describe("Of the query"),
    values: GivenValues.default({}).describe("By parameter name; absent ones get their defaults"),
    fresh: z.boolean().default(false).describe("Run it even if there is a result"),
    ...pageInput,
  }),
  output: Rows,
  async run(call, { id, values: parameterValues, fresh, ...page }) {
    const { caller, context } = call;
    const started = await call.inSlot(async (): Promise<ResultInfo | Run> => {
      const query = { id, parameterValues };
      const found = fresh ? undefined : await findResult(context.deps, caller, query);
      if (found?.kind === "found" && !found.result.isOutdated) return found.result;
      return runQuery(context.deps, caller, query);
    });
    if ("runId" in started) return answerRows(call, started, { ...page, offset: 0, isCached: true });
    const run = await waitForRun(call, { runId: started.id, cancels: true, ...page });
    return answerRun(call, run, { ...page, offset: 0, isCached: false });
  },
});

const runSqlTool = defineTool({
  name: "run_sql",
  description:
    "Runs a SELECT of your own on a database and answers its rows. Only where no saved query answers the question: see search. describe_tables names the tables. Group and limit in the SQL.",
  effect: "reads",
  access: "member",
  scopes: ["sql:run", "queries:read"],
  isOffered: async ({ deps }, caller) => (await getSettings(deps, caller)).keysRunSql,
  input: z.strictObject({
    databaseId: RunSql.shape.databaseId,
    sql: RunSql.shape.sql,
    values: RunSql.shape.parameterValues,
    ...pageInput,
  }),
  output: Rows,
  async run(call, { databaseId, sql, values: parameterValues, ...page }) {
    const { deps } = call.context;
    const { id: runId } = await call.inSlot(() =>
      runSql(deps, call.caller, { databaseId, sql, parameterValues }),
    );
    const run = await waitForRun(call, { runId, cancels: true, ...page });
    return answerRun(call, run, { ...page, offset: 0, isCached: false });
  },
});

const getResultTool = defineTool({
  name: "get_result",
  description:
    "Reads rows of a run's stored result: the next ones with nextCursor, other columns, or those of a run that had not ended.",
  effect: "reads",
  access: "viewer",
  scopes: ["queries:read"],
  input: z.strictObject({
    runId: Id,
    cursor: z
      .string()
      .regex(/^\d{1,9}$/, "must be a nextCursor")
      .optional(),
    ...pageInput,
  }),
  output: Rows,
  async run(call, { runId, cursor = "0", ...page }) {
    const run = await waitForRun(call, { runId, cancels: false, ...page });
    return answerRun(call, run, { ...page, offset: Number(cursor) });
  },
});

interface Wait {
  runId: string;
  waitSeconds: number;
  /** Whether the run is cancelled with the call, if the caller has started it and may cancel runs. */
  cancels: boolean;
}

/** Waits until a run has ended, or for as long as the caller wants. */
async function waitForRun(call: ToolCall, { runId: id, waitSeconds, cancels }: Wait): Promise<RunDetail> {
  const { caller, context, signal: cancelled } = call;
  const { deps, subscriptions, closing } = context;
  // Without a slot, which a cancelled call would not get: its run must still be cancelled.
  let run = await getRun(deps, caller, { id });
  if (hasEnded(run.status) || waitSeconds === 0) return run;
  // Counted and ended like a subscription: no slot is held, and a caller who loses access waits no longer.
  const access = await subscriptions.open({
    caller,
    person: undefined,
    rights: currentRights(),
    access: "viewer",
  });
  const time = AbortSignal.timeout(waitSeconds * 1000);
  const signal = AbortSignal.any([cancelled, closing, access.signal, time]);
  try {
    for await (run of watchRun(deps, caller, { id, signal })) await call.report(describeState(run));
  } finally {
    access.close();
  }
  if (access.signal.aborted) throw new AppError("unauthorized", "This API key has no access any more.");
  if (cancelled.aborted) {
    const mayCancel = run.triggerId === triggerOf(caller) && isAtLeast(caller.role, "member");
    if (cancels && mayCancel) await cancelRun(deps, caller, { id });
    throw new AppError("unavailable", "The call was cancelled.");
  }
  return run;
}

const describeState = ({ status, progressRows }: RunDetail): string =>
  status === "running" && progressRows > 0 ? `running, ${writeCount(progressRows)} rows so far` : status;

interface PageOptions {
  offset: number;
  maxRows: number;
  columns?: string[] | undefined;
  isCached?: boolean;
}

/** The rows of a run, or that it has not ended. Throws the reason if it failed. */
async function answerRun(call: ToolCall, run: RunDetail, page: PageOptions): Promise<RowsAnswer> {
  const { id: runId, status, failure } = run;
  if (status === "failed") {
    const { message = "The run failed.", position } = failure ?? {};
    throw new AppError("query_failed", position ? `${message} (${describePosition(position)})` : message);
  }
  if (status === "completed") {
    const { deps } = call.context;
    return answerRows(call, await call.inSlot(() => getResultOfRun(deps, call.caller, { id: runId })), page);
  }
  return {
    headline: `No rows yet: the run is ${describeState(run)}. Call get_result with its runId.`,
    content: { runId, status, columns: [], rows: [], returnedRows: 0, truncated: true, cutColumns: [] },
  };
}

async function answerRows(
  call: ToolCall,
  info: ResultInfo,
  { offset, maxRows, columns: names, isCached }: PageOptions,
): Promise<RowsAnswer> {
  const { runId, rowCount, cutBy, completedAt } = info;
  const maxCharacters = maxContentCharacters - otherCharacters;
  const wanted = { info, offset, maxRows, columns: names, maxCellCharacters, maxCharacters };
  const page = await call.inSlot(() => readPlainRows(call.context.deps, call.caller, wanted));
  const { columns, rows, hasMore, cutColumns, columnCount } = page;
  const hiddenColumns = names ? 0 : columnCount - columns.length;
  const truncated = hasMore || offset > 0 || cutBy !== null || hiddenColumns > 0 || cutColumns.length > 0;
  return {
    headline: writeHeadline({ returned: rows.length, offset, rowCount, cutBy, hiddenColumns }),
    content: {
      runId,
      status: "completed",
      ranAt: completedAt,
      ...(isCached !== undefined && { isCached }),
      columns,
      rows,
      rowCount,
      returnedRows: rows.length,
      truncated,
      ...(hasMore && { nextCursor: String(offset + rows.length) }),
      ...(cutBy && { cutBy }),
      ...(hiddenColumns > 0 && { hiddenColumns }),
      cutColumns: takeFitting(cutColumns, otherCharacters - 1_000),
    },
  };
}

interface Shown extends Pick<ResultInfo, "rowCount" | "cutBy"> {
  returned: number;
  offset: number;
  hiddenColumns: number;
}

function writeHeadline({ returned, offset, rowCount, cutBy, hiddenColumns }: Shown): string {
  const range = offset > 0 ? ` (from row ${writeCount(offset + 1)} on)` : "";
  const cut = cutBy
    ? ` The limit of ${cutBy} cut the result after these ${writeCount(rowCount)} rows: the query has more.`
    : "";
  const hidden = hiddenColumns > 0 ? ` ${writeCount(hiddenColumns)} columns are not shown.` : "";
  return `${writeCount(returned)} of ${writeCount(rowCount)} rows${range}.${cut}${hidden}`;
}

const Figure = z.string().nullable();

const summarizeTool = defineTool({
  name: "summarize_result",
  description:
    "Computes the number of rows and, for each column, nulls, distinct values, minimum, maximum and sum, exactly and of all rows of a run's stored result. Refuses a result that a limit has cut.",
  effect: "reads",
  access: "viewer",
  scopes: ["queries:read"],
  input: z.strictObject({ runId: Id }),
  output: z.object({
    rowCount: z.int(),
    columns: z.array(
      z.object({
        name: z.string(),
        type: FieldType,
        nulls: z.int(),
        distinct: z.int(),
        minimum: Figure,
        maximum: Figure,
        sum: Figure,
        notFinite: z.int().describe("NaN and infinite cells: without sum and extremes then"),
        isCut: z.boolean().describe("Whether the end of a text is missing here"),
      }),
    ),
    truncated: z.boolean().describe("Whether columns or ends of texts are missing here"),
  }),
  // The slots of the hosts that compute limit it.
  async run({ context, caller, signal }, { runId: id }) {
    const summary = await summarizeResultOfRun(context.deps, caller, { id, signal });
    const columns = takeFitting(summary.columns, maxContentCharacters - 200);
    return {
      headline: `Figures of all ${writeCount(summary.rowCount)} rows, for ${writeCount(columns.length)} of ${writeCount(summary.columnCount)} columns.`,
      content: {
        rowCount: summary.rowCount,
        columns,
        truncated: columns.length < summary.columnCount || columns.some(({ isCut }) => isCut),
      },
    };
  },
});

export const runningTools = [runQueryTool, runSqlTool, getResultTool, summarizeTool];
