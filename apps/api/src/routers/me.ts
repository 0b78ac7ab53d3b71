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
import { checked } from "../trpc/checked.ts";
import { personProcedure } from "../trpc/procedures.ts";

export const meRouter = {
  get: personProcedure
    .meta({ summary: "Who is signed in, in which organizations" })
    .output(checked(Me))
    .query(({ ctx }) => describePerson(ctx.deps, ctx)),
  createOrganization: personProcedure
    .meta({
      summary: "Makes an organization, which the session then looks at",
      errors: { forbidden: "only the operator makes organizations here" },
    })
    .input(CreateOrganization)
    .output(checked(Membership))
    .mutation(({ ctx, input }) => createOrganization(ctx.deps, ctx.person, input)),
  changePassword: personProcedure
    .meta({ summary: "Sets another password. Other sessions end, and links to set one" })
    .input(ChangePassword)
    .mutation(({ ctx, input }) => changePassword(ctx.deps, ctx.person, input)),
  switchOrganization: personProcedure
    .meta({
      summary: "Makes the session look at another organization",
      errors: { not_found: "you do not belong to such an organization" },
    })
    .input(SwitchOrganization)
    .mutation(({ ctx, input }) => switchOrganization(ctx.deps, ctx.person, input)),
  updateProfile: personProcedure
    .meta({ summary: "Changes the name" })
    .input(UpdateProfile)
    .mutation(({ ctx, input }) => updateProfile(ctx.deps, ctx.person, input)),
  locatePermalink: personProcedure
    .meta({ summary: "In which of one's organizations a permalink opens; null if in none" })
    .input(LocatePermalink)
    .output(checked(PermalinkLocation))
    .query(({ ctx, input }) => locatePermalink(ctx.deps, ctx.person, input)),
} satisfies TRPCRouterRecord;
