import { changePassword, createOrganization, describePerson, switchOrganization } from "@querybell/core";
import { ChangePassword, CreateOrganization, Me, Membership, SwitchOrganization } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { personProcedure } from "../trpc/procedures.ts";

export const meRouter = {
  get: personProcedure.output(Me).query(({ ctx }) => describePerson(ctx.deps, ctx)),
  createOrganization: personProcedure
    .input(CreateOrganization)
    .output(Membership)
    .mutation(({ ctx, input }) => createOrganization(ctx.deps, ctx.person, input)),
  changePassword: personProcedure
    .input(ChangePassword)
    .mutation(({ ctx, input }) => changePassword(ctx.deps, ctx.person, input)),
  switchOrganization: personProcedure
    .input(SwitchOrganization)
    .mutation(({ ctx, input }) => switchOrganization(ctx.deps, ctx.person, input)),
} satisfies TRPCRouterRecord;
