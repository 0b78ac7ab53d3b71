import {
  createDestination,
  getDestination,
  listDestinationChoices,
  listDestinations,
  updateDestination,
} from "@querybell/core/destinations";
import {
  CreateDestination,
  Destination,
  DestinationChoice,
  DestinationId,
  UpdateDestination,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked, memberProcedure, parsed, webhookProcedure } from "../trpc/procedures.ts";

export const destinationRouter = {
  choices: memberProcedure()
    .meta({ summary: "Lists the destinations that an automation can choose, by name" })
    .output(checked(DestinationChoice.array()))
    .query(({ ctx }) => listDestinationChoices(ctx.deps, ctx.caller)),
  list: webhookProcedure
    .meta({ summary: "Lists the destinations of automations: Slack, Teams, Discord and mail" })
    .output(checked(Destination.array()))
    .query(({ ctx }) => listDestinations(ctx.deps, ctx.caller)),
  get: webhookProcedure
    .meta({
      summary:
        "Gets one destination. `webhookEndpoints` disables, enables, tests and deletes it, and has its statistics",
      errors: { not_found: "there is no such destination" },
    })
    .input(parsed(DestinationId))
    .output(checked(Destination))
    .query(({ ctx, input }) => getDestination(ctx.deps, ctx.caller, input)),
  create: webhookProcedure
    .meta({
      dangerous: true,
      summary: "Creates a destination. Its address is stored sealed",
      errors: { conflict: "the organization has as many destinations as it may have" },
    })
    .input(parsed(CreateDestination))
    .output(checked(Destination))
    .mutation(({ ctx, input }) => createDestination(ctx.deps, ctx.caller, input)),
  update: webhookProcedure
    .meta({
      summary: "Renames a destination or replaces its address",
      errors: { not_found: "there is no such destination" },
    })
    .input(parsed(UpdateDestination))
    .output(checked(Destination))
    .mutation(({ ctx, input }) => updateDestination(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
