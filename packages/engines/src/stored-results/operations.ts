import { ResultPreview } from "@querybell/domain/result-previews";
import { z } from "zod";
import { describeResult } from "../digest/describe-result.ts";
import { Report } from "../digest/report.ts";
import { previewResult } from "./preview-result.ts";
import type { ResultTable } from "./result-table.ts";

/**
 * Operations of a host on stored results. The first result is the one that the operation is about. A new operation
 * needs an answer below and a case in `performOperation`.
 */
export const ResultOperation = z.discriminatedUnion("name", [
  z.object({ name: z.literal("preview") }),
  /** Compares the first result with the second, if there is one. */
  z.object({ name: z.literal("describe"), title: z.string() }),
]);
export type ResultOperation = z.infer<typeof ResultOperation>;

export const OperationAnswer = z.discriminatedUnion("name", [
  z.object({ name: z.literal("preview"), preview: ResultPreview }),
  z.object({ name: z.literal("describe"), report: Report }),
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
      const report = describeResult({ title: operation.title, result, previous: previous ?? null });
      return { name: "describe", report };
    }
  }
}
