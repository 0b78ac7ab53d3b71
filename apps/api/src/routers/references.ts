import {
  attachReference,
  createOptimisticReference,
  createReference,
  deleteReference,
  getReferenceWithInputs,
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
  ReferenceShortId,
  ReferenceWithInputs,
  UpdateReference,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { contentErrors, definitionErrors } from "../trpc/documented-errors.ts";
import { checked, memberProcedure, parsed, viewerProcedure } from "../trpc/procedures.ts";

export const referenceRouter = {
  list: viewerProcedure("references:read")
    .meta({ summary: "Lists the references, newest first" })
    .input(parsed(ListReferences.prefault({})))
    .output(checked(pageOf(Reference)))
    .query(({ ctx, input }) => listReferences(ctx.deps, ctx.caller, input)),
  get: viewerProcedure("references:read")
    .meta({
      summary: "Gets the reference of a permalink",
      errors: { not_found: "there is no such reference" },
    })
    .input(parsed(ReferenceShortId))
    .output(checked(ReferenceWithInputs))
    .query(({ ctx, input }) => getReferenceWithInputs(ctx.deps, ctx.caller, input)),
  create: memberProcedure("references:write")
    .meta({
      summary: "Creates a reference to a query",
      errors: {
        ...contentErrors,
        ...definitionErrors,
        not_found: "there is no such query",
        conflict: "100 references of the query have parameters",
      },
    })
    .input(parsed(CreateReference))
    .output(checked(Reference))
    .mutation(({ ctx, input }) => createReference(ctx.deps, ctx.caller, input)),
  createOptimistic: memberProcedure("references:write")
    .meta({ summary: "Creates a reference without a query", errors: { ...contentErrors } })
    .input(parsed(CreateOptimisticReference))
    .output(checked(Reference))
    .mutation(({ ctx, input }) => createOptimisticReference(ctx.deps, ctx.caller, input)),
  attach: memberProcedure("references:write")
    .meta({
      summary: "Attaches a reference without a query to its query",
      errors: {
        ...definitionErrors,
        not_found: "there is no such reference or query",
        conflict: "the reference has its query, or 100 references of the query have parameters",
      },
    })
    .input(parsed(AttachReference))
    .output(checked(Reference))
    .mutation(({ ctx, input }) => attachReference(ctx.deps, ctx.caller, input)),
  update: memberProcedure("references:write")
    .meta({
      summary: "Updates the title, description, parameters or visualization",
      errors: {
        ...contentErrors,
        ...definitionErrors,
        not_found: "there is no such reference",
        conflict: "100 references of the query have parameters",
        reference_changed: "it was changed since `basedOn`",
      },
    })
    .input(parsed(UpdateReference))
    .output(checked(Reference))
    .mutation(({ ctx, input }) => updateReference(ctx.deps, ctx.caller, input)),
  delete: memberProcedure("references:write")
    .meta({
      summary: "Deletes a reference. Its short id is never used again",
      errors: { not_found: "there is no such reference" },
    })
    .input(parsed(ReferenceShortId))
    .output(checked(DeletedReference))
    .mutation(({ ctx, input }) => deleteReference(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
