import { createKey, describeKey, listKeys, revokeKey } from "@querybell/core/keys";
import { ApiKey, CreateApiKey, CreatedApiKey, PresentedKey, RevokeApiKey } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { adminProcedure, keyProcedure } from "../trpc/procedures.ts";

export const keyRouter = {
  describe: keyProcedure
    .output(PresentedKey)
    .query(({ ctx }) => describeKey(ctx.deps, ctx.caller, ctx.keyId)),
  list: adminProcedure.output(ApiKey.array()).query(({ ctx }) => listKeys(ctx.deps, ctx.caller)),
  create: adminProcedure
    .input(CreateApiKey)
    .output(CreatedApiKey)
    .mutation(({ ctx, input }) => createKey(ctx.deps, ctx.caller, input)),
  revoke: adminProcedure
    .input(RevokeApiKey)
    .mutation(({ ctx, input }) => revokeKey(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
