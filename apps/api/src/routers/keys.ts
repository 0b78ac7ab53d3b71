import { createKey, describeKey, listKeys, revokeKey } from "@querybell/core/keys";
import { ApiKey, CreateApiKey, CreatedApiKey, PresentedKey, RevokeApiKey } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { adminProcedure, checked, keyProcedure, parsed } from "../trpc/procedures.ts";

export const keyRouter = {
  describe: keyProcedure
    .meta({
      summary:
        "Gets the organization, owner and scopes of the key, and the databases and folders that it is for",
    })
    .output(checked(PresentedKey))
    .query(({ ctx }) => describeKey(ctx.deps, ctx.caller, ctx.keyId)),
  list: adminProcedure
    .meta({ summary: "Lists the organization's API keys" })
    .output(checked(ApiKey.array()))
    .query(({ ctx }) => listKeys(ctx.deps, ctx.caller)),
  create: adminProcedure
    .meta({
      dangerous: true,
      summary:
        "Creates an API key, for the caller or a service account, for all databases and folders or [some](../access.md#api-keys). Its text is shown once",
      errors: { not_found: "there is no such service account, database or folder" },
    })
    .input(parsed(CreateApiKey))
    .output(checked(CreatedApiKey))
    .mutation(({ ctx, input }) => createKey(ctx.deps, ctx.caller, input)),
  revoke: adminProcedure
    .meta({
      dangerous: true,
      summary: "Revokes an API key",
      errors: { not_found: "there is no such key, or it was revoked already" },
    })
    .input(parsed(RevokeApiKey))
    .mutation(({ ctx, input }) => revokeKey(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
