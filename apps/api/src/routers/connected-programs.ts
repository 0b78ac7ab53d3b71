import {
  approveConnection,
  describeRequest,
  disconnectProgram,
  listOwnPrograms,
  listPrograms,
  revokeProgram,
} from "@querybell/core/oauth";
import {
  ApproveConnection,
  ApprovedConnection,
  ConnectedProgram,
  ConnectedProgramId,
  ConnectionRequest,
  DescribedRequest,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { adminProcedure, checked, parsed, personProcedure, viewerProcedure } from "../trpc/procedures.ts";

const requestErrors = {
  not_found: "the program is not known, or not any more",
  invalid_request:
    "the request names no program or no address, or an address that the program has not registered",
};

export const connectedProgramRouter = {
  describeRequest: viewerProcedure()
    .meta({
      summary:
        "Says which program asks to be [connected](../agents.md#connect-by-signing-in) and what it would be allowed. The request is refused if the program has made a mistake",
      errors: requestErrors,
    })
    .input(parsed(ConnectionRequest))
    .output(checked(DescribedRequest))
    .query(({ ctx, input }) => describeRequest(ctx.deps, ctx.caller, input)),
  approve: viewerProcedure()
    .meta({
      dangerous: true,
      summary:
        "Agrees to connect a program to the organization, with some of the scopes that it asks for. The program is connected once it has used the code",
      errors: requestErrors,
    })
    .input(parsed(ApproveConnection))
    .output(checked(ApprovedConnection))
    .mutation(({ ctx, input }) => approveConnection(ctx.deps, ctx.caller, input)),
  mine: personProcedure
    .meta({
      limited: true,
      summary: "Lists the programs that the caller has connected, in all organizations, newest first",
    })
    .output(checked(ConnectedProgram.array()))
    .query(({ ctx }) => listOwnPrograms(ctx.deps, ctx.person)),
  disconnect: personProcedure
    .meta({
      limited: true,
      summary: "Disconnects a program of the caller",
      errors: { not_found: "there is no such program, or it is disconnected already" },
    })
    .input(parsed(ConnectedProgramId))
    .mutation(({ ctx, input }) => disconnectProgram(ctx.deps, ctx.person, input)),
  list: adminProcedure
    .meta({ summary: "Lists the programs that people have connected to the organization, newest first" })
    .output(checked(ConnectedProgram.array()))
    .query(({ ctx }) => listPrograms(ctx.deps, ctx.caller)),
  revoke: adminProcedure
    .meta({
      dangerous: true,
      summary: "Disconnects a program of anybody in the organization",
      errors: { not_found: "there is no such program, or it is disconnected already" },
    })
    .input(parsed(ConnectedProgramId))
    .mutation(({ ctx, input }) => revokeProgram(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
