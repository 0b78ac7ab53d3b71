import { endSubscription, listSubscriptions } from "@querybell/core/event-subscriptions";
import { EventSubscription, EventSubscriptionId } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked, parsed, webhookProcedure } from "../trpc/procedures.ts";

export const eventSubscriptionRouter = {
  list: webhookProcedure
    .meta({
      summary: "Lists the subscriptions of programs to events, [over MCP](../agents.md#events), newest first",
    })
    .output(checked(EventSubscription.array()))
    .query(({ ctx }) => listSubscriptions(ctx.deps, ctx.caller)),
  end: webhookProcedure
    .meta({
      summary: "Ends a subscription and cancels its unfinished deliveries. Its program can subscribe again",
      errors: { not_found: "there is no such subscription, or it has ended" },
    })
    .input(parsed(EventSubscriptionId))
    .mutation(({ ctx, input }) => endSubscription(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
