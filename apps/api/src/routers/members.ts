import { requestFactorReset } from "@querybell/core/identity";
import {
  changeRole,
  createPasswordResetLink,
  createServiceAccount,
  getAttributes,
  leaveOrganization,
  listMembers,
  removeMember,
  setAttributes,
} from "@querybell/core/members";
import {
  ChangeRole,
  CreatePasswordResetLink,
  CreateServiceAccount,
  FactorReset,
  Member,
  MemberAttributes,
  MemberId,
  RemoveMember,
  RequestFactorReset,
  SetAttributes,
  SharedLink,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { adminProcedure, checked, parsed, viewerProcedure } from "../trpc/procedures.ts";

export const memberRouter = {
  list: viewerProcedure()
    .meta({ summary: "Lists the members of the organization" })
    .output(checked(Member.array()))
    .query(({ ctx }) => listMembers(ctx.deps, ctx.caller)),
  leave: viewerProcedure()
    .meta({ summary: "Leaves the organization", errors: { last_owner: "you are its only owner" } })
    .mutation(({ ctx }) => leaveOrganization(ctx.deps, ctx.caller)),
  createServiceAccount: adminProcedure
    .meta({
      dangerous: true,
      summary:
        "Creates a [service account](../access.md#service-accounts): a member for programs, without a password",
    })
    .input(parsed(CreateServiceAccount))
    .output(checked(Member))
    .mutation(({ ctx, input }) => createServiceAccount(ctx.deps, ctx.caller, input)),
  attributes: adminProcedure
    .meta({
      summary: "Gets what is said about a member, for [placeholders](../access.md#row-rights)",
      errors: { not_found: "there is no such member" },
    })
    .input(parsed(MemberId))
    .output(checked(MemberAttributes))
    .query(({ ctx, input }) => getAttributes(ctx.deps, ctx.caller, input)),
  setAttributes: adminProcedure
    .meta({
      dangerous: true,
      summary: "Replaces what is said about a member, for placeholders",
      errors: { not_found: "there is no such member" },
    })
    .input(parsed(SetAttributes))
    .mutation(({ ctx, input }) => setAttributes(ctx.deps, ctx.caller, input)),
  changeRole: adminProcedure
    .meta({
      dangerous: true,
      summary: "Changes the role of a member",
      errors: {
        not_found: "there is no such member",
        forbidden: "only an owner makes or changes an owner",
        last_owner: "the organization would have no owner",
      },
    })
    .input(parsed(ChangeRole))
    .mutation(({ ctx, input }) => changeRole(ctx.deps, ctx.caller, input)),
  remove: adminProcedure
    .meta({
      dangerous: true,
      summary: "Removes a member and their API keys",
      errors: {
        not_found: "there is no such member",
        forbidden: "only an owner removes an owner",
        last_owner: "the organization would have no owner",
      },
    })
    .input(parsed(RemoveMember))
    .mutation(({ ctx, input }) => removeMember(ctx.deps, ctx.caller, input)),
  createPasswordResetLink: adminProcedure
    .meta({
      dangerous: true,
      summary: "Creates a link with which a member sets a new password. It is shown once",
      errors: {
        not_found: "there is no such member",
        forbidden: "the member is an owner and you are not, or belongs to other organizations too",
      },
    })
    .input(parsed(CreatePasswordResetLink))
    .output(checked(SharedLink))
    .mutation(({ ctx, input }) => createPasswordResetLink(ctx.deps, ctx.caller, input)),
  requestFactorReset: adminProcedure
    .meta({
      summary:
        "Removes the second factor of a member who has lost it, after a waiting time of three days. The member is told, and can cancel it",
      dangerous: true,
      errors: {
        not_found: "there is no such member",
        forbidden: "the member is an owner and you are not, or belongs to other organizations too",
        conflict: "the member has no second factor",
      },
    })
    .input(parsed(RequestFactorReset))
    .output(checked(FactorReset))
    .mutation(({ ctx, input }) => requestFactorReset(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
