import { cancelDeletion, findDeletion, requestDeletion } from "@querybell/core/erasure";
import { OrganizationDeletion, organizationDeletionDays, RequestDeletion } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { adminProcedure, checked, parsed } from "../trpc/procedures.ts";

const forbidden = "the caller is not an owner";

export const organizationDeletionRouter = {
  find: adminProcedure
    .meta({ summary: "Finds the request to delete the organization; null if there is none" })
    .output(checked(OrganizationDeletion.nullable()))
    .query(({ ctx }) => findDeletion(ctx.deps, ctx.caller)),
  request: adminProcedure
    .meta({
      dangerous: true,
      summary: `Asks for the deletion of the organization with everything in it, ${organizationDeletionDays} days from now, and tells all owners. For owners`,
      errors: { forbidden, conflict: "it was requested already" },
    })
    .input(parsed(RequestDeletion))
    .output(checked(OrganizationDeletion))
    .mutation(({ ctx, input }) => requestDeletion(ctx.deps, ctx.caller, input)),
  cancel: adminProcedure
    .meta({
      summary:
        "Cancels the deletion of the organization, unless it has begun, and tells all owners. For owners",
      errors: { forbidden, not_found: "nobody has requested it" },
    })
    .mutation(({ ctx }) => cancelDeletion(ctx.deps, ctx.caller)),
} satisfies TRPCRouterRecord;
