import {
  acceptInvitation,
  createInvitation,
  getOpenInvitation,
  listInvitations,
  revokeInvitation,
} from "@querybell/core/invitations";
import {
  AcceptInvitation,
  CreatedInvitation,
  CreateInvitation,
  Invitation,
  InvitationToken,
  Membership,
  OpenInvitation,
  RevokeInvitation,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked } from "../trpc/checked.ts";
import { adminProcedure, publicProcedure } from "../trpc/procedures.ts";

export const invitationRouter = {
  list: adminProcedure
    .meta({ summary: "The open invitations" })
    .output(checked(Invitation.array()))
    .query(({ ctx }) => listInvitations(ctx.deps, ctx.caller)),
  create: adminProcedure
    .meta({
      summary: "Invites an address. The link is shown once; an earlier one for the same address ends",
      errors: {
        forbidden: "only an owner invites an owner",
        conflict: "the address belongs to a member already",
        rate_limited: "100 invitations of an organization, or 5 of one address, within a day",
      },
    })
    .input(CreateInvitation)
    .output(checked(CreatedInvitation))
    .mutation(({ ctx, input }) => createInvitation(ctx.deps, ctx.caller, input)),
  revoke: adminProcedure
    .meta({ summary: "Takes an invitation back", errors: { not_found: "there is no such open invitation" } })
    .input(RevokeInvitation)
    .mutation(({ ctx, input }) => revokeInvitation(ctx.deps, ctx.caller, input)),
  // A mutation, though it changes nothing: so the token travels in the body and never in an address.
  find: publicProcedure
    .meta({
      summary: "What the token of an invitation is for. A mutation, so that the token is in no address",
      errors: { not_found: "the invitation has ended, or was replaced" },
    })
    .input(InvitationToken)
    .output(checked(OpenInvitation))
    .mutation(({ ctx, input }) => getOpenInvitation(ctx.deps, input)),
  accept: publicProcedure
    .meta({
      summary: "Joins the organization, with a new account or as whoever is signed in",
      errors: {
        not_found: "the invitation has ended, or was replaced",
        unauthorized: "the address has an account: sign in to it first",
      },
    })
    .input(AcceptInvitation)
    .output(checked(Membership))
    .mutation(({ ctx, input }) => acceptInvitation(ctx.deps, ctx.person, input)),
} satisfies TRPCRouterRecord;
