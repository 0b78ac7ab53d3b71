import { findAnything } from "@querybell/core/search";
import { FindAnything, SearchHits } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { memberProcedure } from "../trpc/procedures.ts";

export const searchRouter = {
  /** Queries, references and automations by the words in them. */
  find: memberProcedure()
    .input(FindAnything)
    .output(SearchHits)
    .query(({ ctx, input }) => findAnything(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
