import { setTimeout as sleep } from "node:timers/promises";
import {
  AppError,
  type AskForHelp,
  type Caller,
  type HelpProgress,
  type HelpRequestId,
} from "@querybell/domain";
import { askModel, estimateRequest, type ModelMessage, type ModelServer } from "@querybell/models";
import { getDatabaseRow } from "../databases/get-database.ts";
import { previewTable } from "../databases/read-table.ts";
import {
  readTablesForModels,
  type TableForModels,
  takeFittingTables,
} from "../databases/tables-for-models.ts";
import type { Deps } from "../deps.ts";
import { findModel, monthOf } from "../models/find-model.ts";
import { addMonthlyTokens, monthlyBudgetReason, settleMonthlyTokens } from "../models/monthly-tokens.ts";
import { isNamedIn, sortByRelevance } from "./choose-tables.ts";
import { type ShownRows, toHelpMessages } from "./help-prompt.ts";
import { takeHelpRequest } from "./help-requests.ts";
import { readAnswer } from "./read-answer.ts";

const maxOutputTokens = 4_096;
/** A person waits: a server that is busy for longer is reported. */
const retryWithinMs = 30_000;
const writeEveryMs = 250;

/**
 * Answers a question: yields what is being done, and at last the answer. Aborting cancels it. The tokens of a cancelled
 * or interrupted request stay counted as they were reserved, because nobody knows what its server has charged.
 */
export async function* answerHelp(
  deps: Deps,
  caller: Caller,
  { id, signal }: HelpRequestId & { signal: AbortSignal },
): AsyncGenerator<HelpProgress> {
  const request = await takeHelpRequest(deps, caller, { id });
  const leaving = new AbortController();
  const either = AbortSignal.any([signal, leaving.signal]);
  try {
    yield { stage: "reading" };
    const model = await findModel(deps, caller);
    if (model.kind === "missing") throw new AppError("model_missing", model.reason);
    const messages = await readMessages(deps, caller, { request, signal: either });
    yield* askAndWatch(deps, caller, { ...model, messages, signal: either });
  } catch (error) {
    // Whatever fails because nobody waits any more is an abort.
    signal.throwIfAborted();
    throw error;
  } finally {
    leaving.abort();
  }
}

interface Reading {
  request: AskForHelp;
  signal: AbortSignal;
}

/** Reads what the model needs to know about the database, as much as it may see. */
async function readMessages(
  deps: Deps,
  caller: Caller,
  { request, signal }: Reading,
): Promise<ModelMessage[]> {
  const { analyticalDatabaseConfigId: id, schema } = request;
  const { engine, organization } = await getDatabaseRow(deps.db.prisma, caller, id);
  const all = await readTablesForModels(deps, caller, { id, schema, signal });
  const asked = { sql: request.sql ?? "", question: "question" in request ? request.question : "" };
  const tables = takeFittingTables(sortByRelevance(all, asked));
  const rows = organization.helpSeesRows
    ? await readFirstRows(deps, caller, { id, asked, tables, signal })
    : [];
  return toHelpMessages({ request, engine, tables, isCut: tables.length < all.length, rows });
}

const tablesWithRows = 3;
const rowsOfTable = 5;

interface RowsToRead {
  id: string;
  asked: { sql: string; question: string };
  tables: readonly TableForModels[];
  signal: AbortSignal;
}

/** The first rows of the tables that are named. One that cannot be read is left out. */
async function readFirstRows(
  deps: Deps,
  caller: Caller,
  { id, asked, tables, signal }: RowsToRead,
): Promise<ShownRows[]> {
  const text = `${asked.sql}\n${asked.question}`.toLowerCase();
  const shown: ShownRows[] = [];
  for (const table of tables.filter((one) => isNamedIn(text, one)).slice(0, tablesWithRows)) {
    const { schema, name } = table;
    try {
      const preview = await previewTable(deps, caller, { id, schema, table: name, signal });
      shown.push({ table, preview: { ...preview, rows: preview.rows.slice(0, rowsOfTable) } });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "query_failed") throw error;
    }
  }
  return shown;
}

interface Question {
  server: ModelServer;
  monthlyTokens: number;
  messages: ModelMessage[];
  signal: AbortSignal;
}

/** Asks the model, and yields its text a few times a second. */
async function* askAndWatch(deps: Deps, caller: Caller, question: Question): AsyncGenerator<HelpProgress> {
  let text = "";
  let isEnded = false;
  let news = Promise.withResolvers<void>();
  const asking = ask(deps, caller, question, (written) => {
    text = written;
    news.resolve();
  }).finally(() => {
    isEnded = true;
    news.resolve();
  });
  // Awaited below, unless nobody reads the answer any more.
  asking.catch(() => {});
  yield { stage: "waiting" };
  for (;;) {
    await news.promise;
    if (isEnded) break;
    news = Promise.withResolvers();
    yield { stage: "writing", text: readAnswer(text).text };
    await Promise.race([asking.catch(() => {}), sleep(writeEveryMs)]);
  }
  yield { stage: "answered", ...readAnswer(await asking) };
}

/** Reserves the tokens of a request, makes it, and counts what it used. */
async function ask(
  deps: Deps,
  { organizationId }: Caller,
  { server, monthlyTokens, messages, signal }: Question,
  onText: (text: string) => void,
): Promise<string> {
  const inputTokens = estimateRequest(messages, []);
  const month = monthOf(deps.clock.now()).toISOString().slice(0, 10);
  let reserved = 0;
  const reserve = async (tokens: number): Promise<boolean> => {
    const counted = { organizationId, month, tokens, monthlyTokens };
    const isReserved = await addMonthlyTokens(deps.db.prisma, counted);
    if (isReserved) reserved += tokens;
    return isReserved;
  };
  signal.throwIfAborted();
  if (!(await reserve(inputTokens + maxOutputTokens)))
    throw new AppError("budget_used", monthlyBudgetReason(monthlyTokens));
  const asked = await askModel(
    { server, messages, tools: [], maxOutputTokens },
    {
      guard: deps.models.guard,
      limits: deps.models.limits,
      clock: deps.clock,
      signal,
      deadline: new Date(deps.clock.now().getTime() + retryWithinMs),
      mayRetry: ({ inputTokens: sent, outputTokens: written }) => {
        const more = sent + written + inputTokens + maxOutputTokens - reserved;
        return more <= 0 ? Promise.resolve(true) : reserve(more);
      },
      onText,
    },
  );
  const used = asked.usage.inputTokens + asked.usage.outputTokens;
  await settleMonthlyTokens(deps.db.prisma, { organizationId, month, reserved, used });
  switch (asked.kind) {
    case "answered":
      if (!asked.isCut) return asked.text;
      throw tooLong();
    case "too_long":
      throw tooLong();
    case "refused":
      throw new AppError("model_refused", `The model refused: ${asked.reason}`);
    case "failed":
      throw new AppError(
        "model_unreachable",
        `The model gave no answer: ${asked.reason} Ask again later, or ask an admin to test the model under Settings.`,
      );
  }
}

const tooLong = () =>
  new AppError("model_refused", "The model wrote more than an answer may have. Ask for less at once.");
