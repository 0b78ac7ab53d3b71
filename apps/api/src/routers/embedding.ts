import {
  createEmbeddingKey,
  listEmbeddingKeys,
  revokeEmbeddingKey,
  rotateEmbeddingKey,
  updateEmbeddingKey,
} from "@querybell/core/embedding";
import {
  CreateEmbeddingKey,
  EmbeddingKey,
  EmbeddingKeyId,
  EmbeddingKeyList,
  RotateEmbeddingKey,
  UpdateEmbeddingKey,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { adminProcedure, checked, parsed } from "../trpc/procedures.ts";

const noSuchKey = "there is no such embedding key";
const noSuchAccount = "there is no such service account";

export const embeddingRouter = {
  list: adminProcedure
    .meta({ summary: "Lists the keys of [embedding](../embedding.md), newest first" })
    .output(checked(EmbeddingKeyList))
    .query(({ ctx }) => listEmbeddingKeys(ctx.deps, ctx.caller)),
  create: adminProcedure
    .meta({
      dangerous: true,
      summary: "Adds the public key of an application that embeds charts and dashboards",
      errors: { not_found: noSuchAccount, conflict: "the organization has 50 keys" },
    })
    .input(parsed(CreateEmbeddingKey))
    .output(checked(EmbeddingKey))
    .mutation(({ ctx, input }) => createEmbeddingKey(ctx.deps, ctx.caller, input)),
  update: adminProcedure
    .meta({
      dangerous: true,
      summary: "Changes the name, the service account, the sites or how old the data may be",
      errors: { not_found: `${noSuchKey}, or ${noSuchAccount}` },
    })
    .input(parsed(UpdateEmbeddingKey))
    .output(checked(EmbeddingKey))
    .mutation(({ ctx, input }) => updateEmbeddingKey(ctx.deps, ctx.caller, input)),
  rotate: adminProcedure
    .meta({
      dangerous: true,
      summary: "Replaces the public key. What the one before has signed ends at once, with its frames",
      errors: { not_found: noSuchKey },
    })
    .input(parsed(RotateEmbeddingKey))
    .output(checked(EmbeddingKey))
    .mutation(({ ctx, input }) => rotateEmbeddingKey(ctx.deps, ctx.caller, input)),
  revoke: adminProcedure
    .meta({
      dangerous: true,
      summary: "Ends an embedding key for good, with its frames",
      errors: { not_found: noSuchKey },
    })
    .input(parsed(EmbeddingKeyId))
    .mutation(({ ctx, input }) => revokeEmbeddingKey(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
