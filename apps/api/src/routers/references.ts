import {
  attachReference,
  createOptimisticReference,
  createReference,
  deleteReference,
  getReference,
  listReferences,
  updateReference,
} from "@querybell/core/references";
import {
  AttachReference,
  CreateOptimisticReference,
  CreateReference,
  DeletedReference,
  ListReferences,
  pageOf,
  Reference,
  ReferenceDetail,
  ReferenceShortId,
  UpdateReference,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked } from "../trpc/checked.ts";
import { memberProcedure } from "../trpc/procedures.ts";

export const referenceRouter = {
  list: memberProcedure("references:read")
    .input(ListReferences.prefault({}))
    .output(checked(pageOf(Reference)))
    .query(({ ctx, input }) => listReferences(ctx.deps, ctx.caller, input)),
  get: memberProcedure("references:read")
    .input(ReferenceShortId)
    .output(ReferenceDetail)
    .query(({ ctx, input }) => getReference(ctx.deps, ctx.caller, input)),
  create: memberProcedure("references:write")
    .input(CreateReference)
    .output(Reference)
    .mutation(({ ctx, input }) => createReference(ctx.deps, ctx.caller, input)),
  createOptimistic: memberProcedure("references:write")
    .input(CreateOptimisticReference)
    .output(Reference)
    .mutation(({ ctx, input }) => createOptimisticReference(ctx.deps, ctx.caller, input)),
  attach: memberProcedure("references:write")
    .input(AttachReference)
    .output(Reference)
    .mutation(({ ctx, input }) => attachReference(ctx.deps, ctx.caller, input)),
  update: memberProcedure("references:write")
    .input(UpdateReference)
    .output(Reference)
    .mutation(({ ctx, input }) => updateReference(ctx.deps, ctx.caller, input)),
  delete: memberProcedure("references:write")
    .input(ReferenceShortId)
    .output(DeletedReference)
    .mutation(({ ctx, input }) => deleteReference(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
