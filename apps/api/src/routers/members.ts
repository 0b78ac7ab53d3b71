import {
  changeRole,
  createPasswordResetLink,
  leaveOrganization,
  listMembers,
  removeMember,
} from "@querybell/core/members";
import { ChangeRole, CreatePasswordResetLink, Member, RemoveMember, SharedLink } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { adminProcedure, memberProcedure } from "../trpc/procedures.ts";

export const memberRouter = {
  list: memberProcedure()
    .output(Member.array())
    .query(({ ctx }) => listMembers(ctx.deps, ctx.caller)),
  leave: memberProcedure().mutation(({ ctx }) => leaveOrganization(ctx.deps, ctx.caller)),
  changeRole: adminProcedure
    .input(ChangeRole)
    .mutation(({ ctx, input }) => changeRole(ctx.deps, ctx.caller, input)),
  remove: adminProcedure
    .input(RemoveMember)
    .mutation(({ ctx, input }) => removeMember(ctx.deps, ctx.caller, input)),
  createPasswordResetLink: adminProcedure
    .input(CreatePasswordResetLink)
    .output(SharedLink)
    .mutation(({ ctx, input }) => createPasswordResetLink(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
