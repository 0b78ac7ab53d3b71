import { search } from "@querybell/core/search";
import { SearchHits, SearchText } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked, parsed, viewerProcedure } from "../trpc/procedures.ts";

export const searchRouter = {
  find: viewerProcedure()
    .meta({
      summary: "Searches queries, references and automations by word prefixes. Matches in titles come first",
    })
    .input(parsed(SearchText))
    .output(checked(SearchHits))
    .query(({ ctx, input }) => search(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
