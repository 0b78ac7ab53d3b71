import { search } from "@querybell/core/search";
import { SearchHits, SearchText } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked } from "../trpc/checked.ts";
import { memberProcedure } from "../trpc/procedures.ts";

export const searchRouter = {
  find: memberProcedure()
    .meta({
      summary:
        "Queries, references and automations by the beginnings of words in them; those with the words in their titles come first",
    })
    .input(SearchText)
    .output(checked(SearchHits))
    .query(({ ctx, input }) => search(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
