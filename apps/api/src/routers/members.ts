import {
  changeRole,
  createPasswordResetLink,
  leaveOrganization,
  listMembers,
  removeMember,
} from "@querybell/core/members";
import { ChangeRole, CreatePasswordResetLink, Member, RemoveMember, SharedLink } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked } from "../trpc/checked.ts";
import { adminProcedure, memberProcedure } from "../trpc/procedures.ts";

export const memberRouter = {
  list: memberProcedure()
    .meta({ summary: "Who belongs to the organization" })
    .output(checked(Member.array()))
    .query(({ ctx }) => listMembers(ctx.deps, ctx.caller)),
  leave: memberProcedure()
    .meta({ summary: "Leaves the organization", errors: { last_owner: "you are its only owner" } })
    .mutation(({ ctx }) => leaveOrganization(ctx.deps, ctx.caller)),
  changeRole: adminProcedure
    .meta({
      summary: "Makes somebody member, admin or owner",
      errors: {
        not_found: "there is no such member",
        forbidden: "only an owner makes or changes an owner",
        last_owner: "the organization would have no owner",
      },
    })
    .input(ChangeRole)
    .mutation(({ ctx, input }) => changeRole(ctx.deps, ctx.caller, input)),
  remove: adminProcedure
    .meta({
      summary: "Removes somebody, with the API keys they made",
      errors: {
        not_found: "there is no such member",
        forbidden: "only an owner removes an owner",
        last_owner: "the organization would have no owner",
      },
    })
    .input(RemoveMember)
    .mutation(({ ctx, input }) => removeMember(ctx.deps, ctx.caller, input)),
  createPasswordResetLink: adminProcedure
    .meta({
      summary: "A link with which somebody sets a new password. It is shown once",
      errors: {
        not_found: "there is no such member",
        forbidden: "the member is an owner and you are not, or belongs to other organizations too",
      },
    })
    .input(CreatePasswordResetLink)
    .output(checked(SharedLink))
    .mutation(({ ctx, input }) => createPasswordResetLink(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
