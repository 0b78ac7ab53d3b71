import {
  acceptInvitation,
  createInvitation,
  findOpenInvitation,
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
import { adminProcedure, publicProcedure } from "../trpc/procedures.ts";

export const invitationRouter = {
  list: adminProcedure.output(Invitation.array()).query(({ ctx }) => listInvitations(ctx.deps, ctx.caller)),
  create: adminProcedure
    .input(CreateInvitation)
    .output(CreatedInvitation)
    .mutation(({ ctx, input }) => createInvitation(ctx.deps, ctx.caller, input)),
  revoke: adminProcedure
    .input(RevokeInvitation)
    .mutation(({ ctx, input }) => revokeInvitation(ctx.deps, ctx.caller, input)),
  // A mutation, though it changes nothing: so the token travels in the body and never in an address.
  find: publicProcedure
    .input(InvitationToken)
    .output(OpenInvitation)
    .mutation(({ ctx, input }) => findOpenInvitation(ctx.deps, input)),
  accept: publicProcedure
    .input(AcceptInvitation)
    .output(Membership)
    .mutation(({ ctx, input }) => acceptInvitation(ctx.deps, ctx.person, input)),
} satisfies TRPCRouterRecord;
