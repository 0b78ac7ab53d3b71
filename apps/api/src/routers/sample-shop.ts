import { createSampleShop, deleteSampleShop, findSampleShop } from "@querybell/core/sample-shop";
import { SampleShop } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { adminProcedure, checked } from "../trpc/procedures.ts";

export const sampleShopRouter = {
  find: adminProcedure
    .meta({
      summary: "Finds the organization's sample shop and how far it is created; null if there is none",
    })
    .output(checked(SampleShop.nullable()))
    .query(({ ctx }) => findSampleShop(ctx.deps, ctx.caller)),
  create: adminProcedure
    .meta({
      summary:
        "Starts creating the sample shop: a DuckDB database with queries, references and an automation to try. Changes nothing if there is one",
      errors: { conflict: "the sample shop is being removed" },
    })
    .output(checked(SampleShop))
    .mutation(({ ctx }) => createSampleShop(ctx.deps, ctx.caller)),
  delete: adminProcedure
    .meta({
      summary:
        "Starts removing the sample shop: its database, its automation, and its queries with all their references",
      errors: { not_found: "the organization has no sample shop" },
    })
    .mutation(({ ctx }) => deleteSampleShop(ctx.deps, ctx.caller)),
} satisfies TRPCRouterRecord;
