import { ResultPreview } from "@querybell/domain/results";
import { z } from "zod";
import { Language, Slot } from "../checked-summaries/slot.ts";
import { wordings } from "../checked-summaries/wording/wording.ts";
import { Statement, writeStatement } from "../checked-summaries/write-statement.ts";
import { Report } from "../digest/facts.ts";
import { describeChanges, writeReport } from "../digest/write-report.ts";
import { getDay } from "../digest/written-day.ts";
import { aggregateResult, ResultAggregate } from "./aggregate-result.ts";
import { previewResult } from "./preview-result.ts";
import { ResultPage, readPage } from "./read-page.ts";
import type { ResultTable } from "./result-table.ts";

/**
 * Operations of a host on stored results. The first result is the one that the operation is about. A new operation
 * needs an answer below and a case in `computeAnswer`.
 */
export const ResultOperation = z.discriminatedUnion("name", [
  z.object({ name: z.literal("preview") }),
  /** Compares the first result with the second, if there is one. */
  z.object({
    name: z.literal("describe"),
    title: z.string(),
    today: z.iso.date(),
    /** The columns that the reference's chart shows. */
    shownColumns: z.array(z.string()),
  }),
  /** How the first result differs from the second. */
  z.object({ name: z.literal("changes") }),
  z.object({ name: z.literal("page"), page: ResultPage }),
  z.object({ name: z.literal("aggregate"), aggregate: ResultAggregate }),
  /** Words slots about the first result, compared with the second, and looks which of these texts are cells. */
  z.object({
    name: z.literal("statements"),
    slots: z.array(Slot).max(160),
    language: Language,
    today: z.iso.date(),
    isOwnSql: z.boolean(),
    texts: z.array(z.string().max(200)).max(40),
  }),
]);
export type ResultOperation = z.infer<typeof ResultOperation>;

/** Rows of a result or of its groups, or why there are none. */
const Rows = z.union([
  z.object({
    preview: ResultPreview,
    rowNumbers: z.array(z.int()).optional().describe("Of rows of the result, counted from 1"),
  }),
  z.object({ problem: z.string() }),
]);

export const OperationAnswer = z.discriminatedUnion("name", [
  z.object({ name: z.literal("preview"), preview: ResultPreview }),
  z.object({ name: z.literal("describe"), report: Report }),
  z.object({ name: z.literal("changes"), changes: z.array(z.string().max(2000)).max(20) }),
  z.object({ name: z.literal("page"), rows: Rows }),
  z.object({ name: z.literal("aggregate"), rows: Rows }),
  z.object({
    name: z.literal("statements"),
    statements: z.array(Statement).max(160),
    areCells: z.array(z.boolean()).max(40),
  }),
]);
export type OperationAnswer = z.infer<typeof OperationAnswer>;

export function computeAnswer(
  operation: ResultOperation,
  [result, previous]: readonly ResultTable[],
): OperationAnswer {
  if (!result) throw new Error("An operation needs a result.");
  switch (operation.name) {
    case "preview":
      return { name: "preview", preview: previewResult(result) };
    case "describe": {
      const { title, today, shownColumns } = operation;
      const report = writeReport({ title, result, previous: previous ?? null, today, shownColumns });
      return { name: "describe", report };
    }
    case "changes":
      if (!previous) throw new Error("Changes need two results.");
      return { name: "changes", changes: describeChanges(result, previous) };
    case "page":
      return { name: "page", rows: readPage(result, operation.page) };
    case "aggregate":
      return { name: "aggregate", rows: aggregateResult(result, operation.aggregate) };
    case "statements": {
      const { slots, language, texts, isOwnSql } = operation;
      const today = getDay(operation.today);
      const tables = { now: result, before: previous ?? null };
      const context = { tables, wording: wordings[language], today, numbers: "full", isOwnSql } as const;
      const statements = slots.map((slot) => writeStatement(slot, context));
      return { name: "statements", statements, areCells: texts.map((text) => isCell(result, text)) };
    }
  }
}

const isCell = ({ rows }: ResultTable, text: string): boolean =>
  rows.some((row) => row.some((cell) => cell === text));
