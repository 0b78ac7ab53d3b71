import { answerHelp, askForHelp } from "@querybell/core/sql-help";
import { AskForHelp, HelpProgress, HelpRequestId } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { connectionErrors } from "../trpc/documented-errors.ts";
import { checked, memberProcedure, parsed } from "../trpc/procedures.ts";

const modelMissing = "the organization has no model, or no admin has consented to its server";

export const sqlHelpRouter = {
  ask: memberProcedure()
    .meta({
      summary:
        "Asks the organization's model to write, explain, correct or speed up a statement ([help with SQL](../queries.md#help-with-sql)). Read the answer with `sqlHelp.answer`",
      errors: {
        not_found: "there is no such database",
        database_deleted: "the database was deleted",
        model_missing: modelMissing,
      },
    })
    .input(parsed(AskForHelp))
    .output(checked(HelpRequestId))
    .mutation(({ ctx, input }) => askForHelp(ctx.deps, ctx.caller, input)),
  answer: memberProcedure()
    .meta({
      summary:
        "Sends what is being done for an answer, and at last the answer. A question is answered once; closing the subscription cancels it",
      errors: {
        ...connectionErrors,
        not_found: "there is no such question, or its answer was read already",
        database_deleted: "the database was deleted",
        model_missing: modelMissing,
        budget_used: "the organization's tokens of this month are used",
        model_unreachable: "the model's server gives no answer; the message says what happened",
        model_refused: "the model or its server refuses, or writes too much",
      },
      yields: HelpProgress,
    })
    .input(parsed(HelpRequestId))
    .subscription(({ ctx, input, signal = ctx.closing }) =>
      answerHelp(ctx.deps, ctx.caller, { ...input, signal: AbortSignal.any([signal, ctx.closing]) }),
    ),
} satisfies TRPCRouterRecord;
