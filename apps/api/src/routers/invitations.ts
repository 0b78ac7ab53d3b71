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
import { adminProcedure, checked, parsed, publicProcedure } from "../trpc/procedures.ts";

export const invitationRouter = {
  list: adminProcedure
    .meta({ summary: "Lists the open invitations" })
    .output(checked(Invitation.array()))
    .query(({ ctx }) => listInvitations(ctx.deps, ctx.caller)),
  create: adminProcedure
    .meta({
      dangerous: true,
      summary:
        "Invites an email address. The link is shown once; an earlier one for the same address becomes invalid",
      errors: {
        forbidden: "only an owner invites an owner",
        conflict: "the address belongs to a member already",
        rate_limited: "100 invitations of an organization, or 5 of one address, within a day",
      },
    })
    .input(parsed(CreateInvitation))
    .output(checked(CreatedInvitation))
    .mutation(({ ctx, input }) => createInvitation(ctx.deps, ctx.caller, input)),
  revoke: adminProcedure
    .meta({ summary: "Revokes an invitation", errors: { not_found: "there is no such open invitation" } })
    .input(parsed(RevokeInvitation))
    .mutation(({ ctx, input }) => revokeInvitation(ctx.deps, ctx.caller, input)),
  // A mutation, although it changes nothing, so that the token is sent in the body and not in a URL.
  find: publicProcedure
    .meta({
      summary: "Gets the invitation of a token. A mutation, so that the token is not in a URL",
      errors: { not_found: "the invitation has ended, or was replaced" },
    })
    .input(parsed(InvitationToken))
    .output(checked(OpenInvitation))
    .mutation(({ ctx, input }) => getOpenInvitation(ctx.deps, input)),
  accept: publicProcedure
    .meta({
      summary: "Joins the organization, with a new account or as the signed-in person",
      errors: {
        not_found: "the invitation has ended, or was replaced",
        unauthorized: "the address has an account: sign in to it first",
        forbidden: "nobody has proven to own the address of the signed-in account",
        conflict: "the person is a member already",
      },
    })
    .input(parsed(AcceptInvitation))
    .output(checked(Membership))
    .mutation(({ ctx, input }) => acceptInvitation(ctx.deps, ctx.person, input)),
} satisfies TRPCRouterRecord;
