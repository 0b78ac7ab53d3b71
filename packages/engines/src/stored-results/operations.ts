import { ResultPreview } from "@querybell/domain/result-previews";
import { z } from "zod";
import { EvaluatedFigure, Figure } from "../checked-summaries/declaration.ts";
import { evaluateFigure } from "../checked-summaries/evaluate-figure.ts";
import { findNames } from "../checked-summaries/find-names.ts";
import { describeChanges, describeResult } from "../digest/describe-result.ts";
import { Report } from "../digest/report.ts";
import { aggregateResult, ResultAggregate } from "./aggregate-result.ts";
import { previewResult } from "./preview-result.ts";
import { ResultPage, readPage } from "./read-page.ts";
import type { ResultTable } from "./result-table.ts";

/**
 * Operations of a host on stored results. The first result is the one that the operation is about. A new operation
 * needs an answer below and a case in `performOperation`.
 */
export const ResultOperation = z.discriminatedUnion("name", [
  z.object({ name: z.literal("preview") }),
  /** Compares the first result with the second, if there is one. */
  z.object({ name: z.literal("describe"), title: z.string(), today: z.iso.date() }),
  /** How the first result differs from the second. */
  z.object({ name: z.literal("changes") }),
  z.object({ name: z.literal("page"), page: ResultPage }),
  z.object({ name: z.literal("aggregate"), aggregate: ResultAggregate }),
  /** Computes declared figures, and finds the cells whose texts occur in these texts. */
  z.object({ name: z.literal("evaluate"), figures: z.array(Figure), texts: z.array(z.string()) }),
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
    name: z.literal("evaluate"),
    figures: z.array(EvaluatedFigure),
    names: z.array(z.string().max(100)).max(200),
  }),
]);
export type OperationAnswer = z.infer<typeof OperationAnswer>;

export function performOperation(
  operation: ResultOperation,
  [result, previous]: readonly ResultTable[],
): OperationAnswer {
  if (!result) throw new Error("An operation needs a result.");
  switch (operation.name) {
    case "preview":
      return { name: "preview", preview: previewResult(result) };
    case "describe": {
      const { title, today } = operation;
      const report = describeResult({ title, result, previous: previous ?? null, today });
      return { name: "describe", report };
    }
    case "changes":
      if (!previous) throw new Error("Changes need two results.");
      return { name: "changes", changes: describeChanges(result, previous) };
    case "page":
      return { name: "page", rows: readPage(result, operation.page) };
    case "aggregate":
      return { name: "aggregate", rows: aggregateResult(result, operation.aggregate) };
    case "evaluate": {
      const figures = operation.figures.map((figure) => evaluateFigure(result, figure));
      return { name: "evaluate", figures, names: findNames(result, operation.texts) };
    }
  }
}
