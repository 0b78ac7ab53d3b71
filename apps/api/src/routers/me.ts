import { stopSeeingAs } from "@querybell/core/access";
import { deleteAccount } from "@querybell/core/erasure";
import {
  changePassword,
  describePerson,
  dismissFailedSignIns,
  updateFirstSteps,
  updateProfile,
} from "@querybell/core/identity";
import { createOrganization, locatePermalink, switchOrganization } from "@querybell/core/organizations";
import {
  ChangePassword,
  CreateOrganization,
  DeleteAccount,
  DismissFailedSignIns,
  LocatePermalink,
  Me,
  Membership,
  PermalinkLocation,
  SwitchOrganization,
  UpdateFirstSteps,
  UpdateProfile,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked, parsed, personProcedure } from "../trpc/procedures.ts";

export const meRouter = {
  get: personProcedure
    .meta({ summary: "Gets the signed-in person and their organizations", limited: true })
    .output(checked(Me))
    .query(({ ctx }) => describePerson(ctx.deps, ctx)),
  createOrganization: personProcedure
    .meta({
      summary: "Creates an organization and switches the session to it",
      errors: { forbidden: "only the operator makes organizations here" },
    })
    .input(parsed(CreateOrganization))
    .output(checked(Membership))
    .mutation(({ ctx, input }) => createOrganization(ctx.deps, ctx.person, input)),
  changePassword: personProcedure
    .meta({ dangerous: true, summary: "Changes the password. Ends all other sessions and reset links" })
    .input(parsed(ChangePassword))
    .mutation(({ ctx, input }) => changePassword(ctx.deps, ctx.person, input)),
  deleteAccount: personProcedure
    .meta({
      dangerous: true,
      summary:
        'Erases the signed-in person: name, address, password, sessions, keys, drafts. What they made stays, by "Deleted user"',
      errors: { last_owner: "an organization would have no owner any more" },
    })
    .input(parsed(DeleteAccount))
    .mutation(({ ctx, input }) => deleteAccount(ctx.deps, ctx.person, input)),
  switchOrganization: personProcedure
    .meta({
      summary: "Switches the session to another organization",
      errors: { not_found: "you do not belong to such an organization" },
    })
    .input(parsed(SwitchOrganization))
    .mutation(({ ctx, input }) => switchOrganization(ctx.deps, ctx.person, input)),
  stopSeeingAs: personProcedure
    .meta({ summary: "Shows the organization as the signed-in admin sees it again" })
    .mutation(({ ctx }) => stopSeeingAs(ctx.deps, ctx.person)),
  updateProfile: personProcedure
    .meta({ summary: "Updates the name" })
    .input(parsed(UpdateProfile))
    .mutation(({ ctx, input }) => updateProfile(ctx.deps, ctx.person, input)),
  updateFirstSteps: personProcedure
    .meta({ summary: "Dismisses the first steps of the start page, or shows them again", limited: true })
    .input(parsed(UpdateFirstSteps))
    .mutation(({ ctx, input }) => updateFirstSteps(ctx.deps, ctx.person, input)),
  dismissFailedSignIns: personProcedure
    .meta({ summary: "Dismisses the notice about failed attempts to sign in, up to a time" })
    .input(parsed(DismissFailedSignIns))
    .mutation(({ ctx, input }) => dismissFailedSignIns(ctx.deps, ctx.person, input)),
  locatePermalink: personProcedure
    .meta({
      summary: "Finds the organization of the person that owns a permalink; null if none does",
      limited: true,
    })
    .input(parsed(LocatePermalink))
    .output(checked(PermalinkLocation))
    .query(({ ctx, input }) => locatePermalink(ctx.deps, ctx.person, input)),
} satisfies TRPCRouterRecord;
