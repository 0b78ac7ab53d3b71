import { endOtherSessions, endSession, listSessions } from "@querybell/core/identity";
import { EndSession, SessionEntry } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked, parsed, personProcedure } from "../trpc/procedures.ts";

export const sessionRouter = {
  list: personProcedure
    .meta({ summary: "Lists the person's sessions, the last used first" })
    .output(checked(SessionEntry.array()))
    .query(({ ctx }) => listSessions(ctx.deps, ctx.person)),
  end: personProcedure
    .meta({
      summary: "Ends one of the person's sessions, which may be the one of the call",
      errors: { not_found: "there is no such session, or it has ended already" },
    })
    .input(parsed(EndSession))
    .mutation(({ ctx, input }) => endSession(ctx.deps, ctx.person, input)),
  endOthers: personProcedure
    .meta({ summary: "Ends all other sessions of the person" })
    .mutation(({ ctx }) => endOtherSessions(ctx.deps, ctx.person)),
} satisfies TRPCRouterRecord;
