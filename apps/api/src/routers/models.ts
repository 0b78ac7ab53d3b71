import { correctModelUsage, getModel, removeModel, testModel, updateModel } from "@querybell/core/models";
import { CorrectModelUsage, ModelSettings, TestedModel, TestModel, UpdateModel } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { adminProcedure, checked, memberProcedure, parsed } from "../trpc/procedures.ts";

const noOperatorModel = "`connection` is null, and the operator has set up no model";

export const modelRouter = {
  get: memberProcedure()
    .meta({
      summary:
        "Gets the language model that automations use, and the tokens that they have used this month ([models](../automations.md#a-language-model))",
    })
    .output(checked(ModelSettings))
    .query(({ ctx }) => getModel(ctx.deps, ctx.caller)),
  update: adminProcedure
    .meta({
      dangerous: true,
      summary: "Sets the organization's model and its monthly budget, with consent that data is sent there",
      errors: { conflict: noOperatorModel },
    })
    .input(parsed(UpdateModel))
    .output(checked(ModelSettings))
    .mutation(({ ctx, input }) => updateModel(ctx.deps, ctx.caller, input)),
  correctUsage: adminProcedure
    .meta({
      summary: "Sets the tokens that count as used in a month, where the model's server has counted wrongly",
    })
    .input(parsed(CorrectModelUsage))
    .output(checked(ModelSettings))
    .mutation(({ ctx, input }) => correctModelUsage(ctx.deps, ctx.caller, input)),
  remove: adminProcedure
    .meta({ dangerous: true, summary: "Removes the organization's model, its key and the consent" })
    .mutation(({ ctx }) => removeModel(ctx.deps, ctx.caller)),
  test: adminProcedure
    .meta({
      summary: "Asks a model for one word, to test it before or after it is saved. No data is sent",
      errors: {
        conflict: noOperatorModel,
        model_unreachable: "its server gives no answer; the message says what happened",
        model_refused: "its server refuses the key, the name or the request",
      },
    })
    .input(parsed(TestModel))
    .output(checked(TestedModel))
    .mutation(({ ctx, input, signal }) => testModel(ctx.deps, ctx.caller, { ...input, signal })),
} satisfies TRPCRouterRecord;
