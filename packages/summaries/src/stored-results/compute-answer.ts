import { wordings } from "../checked-summaries/wording/wording.ts";
import { writeStatement } from "../checked-summaries/write-statement.ts";
import { describeChanges, writeReport } from "../digest/write-report.ts";
import { getDay } from "../digest/written-day.ts";
import { aggregateResult } from "./aggregate-result.ts";
import type { OperationAnswer, ResultOperation } from "./operations.ts";
import { pastFigures } from "./past-figures.ts";
import { previewResult } from "./preview-result.ts";
import { readPage } from "./read-page.ts";
import type { ResultTable } from "./result-table.ts";
import { splitRows } from "./split-rows.ts";
import { summarizeResult } from "./summarize-result.ts";

export function computeAnswer(operation: ResultOperation, results: readonly ResultTable[]): OperationAnswer {
  const [result, previous] = results;
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
    case "summarize":
      return { name: "summarize", summary: summarizeResult(result) };
    case "figures":
      return { name: "figures", figures: results.map(pastFigures) };
    case "split":
      return { name: "split", groups: splitRows(result, operation.split) };
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
