import { createExport, deleteExport, findExport } from "@querybell/core/exports";
import { OrganizationExport, OrganizationExportId } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { adminProcedure, checked, parsed } from "../trpc/procedures.ts";

const forbidden = "the caller is not an owner";

export const exportRouter = {
  find: adminProcedure
    .meta({
      summary:
        "Finds the file with everything of the organization and how far it is made; null if there is none. For owners",
      errors: { forbidden },
    })
    .output(checked(OrganizationExport.nullable()))
    .query(({ ctx }) => findExport(ctx.deps, ctx.caller)),
  create: adminProcedure
    .meta({
      dangerous: true,
      summary:
        "Starts making a file with everything of the organization, which replaces an earlier one. Changes nothing while one is being made. Once it is `ready`, `GET /api/exports/<id>` sends it to owners. For owners",
      errors: { forbidden },
    })
    .output(checked(OrganizationExport))
    .mutation(({ ctx }) => createExport(ctx.deps, ctx.caller)),
  delete: adminProcedure
    .meta({
      summary: "Deletes the file of an export, or stops making it. For owners",
      errors: { forbidden, not_found: "there is no such export, or it has expired" },
    })
    .input(parsed(OrganizationExportId))
    .mutation(({ ctx, input }) => deleteExport(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
