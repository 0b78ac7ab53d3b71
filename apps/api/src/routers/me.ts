import { changePassword, describePerson, updateProfile } from "@querybell/core/identity";
import { createOrganization, locatePermalink, switchOrganization } from "@querybell/core/organizations";
import {
  ChangePassword,
  CreateOrganization,
  LocatePermalink,
  Me,
  Membership,
  PermalinkLocation,
  SwitchOrganization,
  UpdateProfile,
} from "@querybell/domain";
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
  updateProfile: personProcedure
    .input(UpdateProfile)
    .mutation(({ ctx, input }) => updateProfile(ctx.deps, ctx.person, input)),
  locatePermalink: personProcedure
    .input(LocatePermalink)
    .output(PermalinkLocation)
    .query(({ ctx, input }) => locatePermalink(ctx.deps, ctx.person, input)),
} satisfies TRPCRouterRecord;
