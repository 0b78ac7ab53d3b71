import {
  discardUpload,
  dropTable,
  importUpload,
  previewUpload,
  readUploadsOverview,
} from "@querybell/core/uploads";
import {
  DropTable,
  ImportUpload,
  PreviewUpload,
  UploadedTable,
  UploadId,
  UploadPreview,
  UploadsOverview,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { storageErrors } from "../trpc/documented-errors.ts";
import { checked, memberProcedure, parsed } from "../trpc/procedures.ts";

export const uploadRouter = {
  overview: memberProcedure("uploads:write")
    .meta({
      summary:
        "The tables that were made of [uploaded files](../uploads.md), and the files that wait to be imported",
    })
    .output(checked(UploadsOverview))
    .query(({ ctx }) => readUploadsOverview(ctx.deps, ctx.caller)),
  preview: memberProcedure("uploads:write")
    .meta({
      waitsForEngine: true,
      summary:
        "Gets the columns of a waiting file, and its first rows. A column has the type that is chosen, or the first that [holds each of its values](../uploads.md#values-are-never-changed)",
      errors: {
        not_found: "there is no such file waiting",
        upload_unreadable:
          "the file cannot be read, or a chosen type does not hold a value exactly; the message names the line",
      },
    })
    .input(parsed(PreviewUpload))
    .output(checked(UploadPreview))
    .query(({ ctx, input, signal }) => previewUpload(ctx.deps, ctx.caller, { ...input, signal })),
  import: memberProcedure("uploads:write")
    .meta({
      waitsForEngine: true,
      summary:
        "Imports a waiting file into a table: all of its rows or none. The answer comes when they can be queried",
      errors: {
        ...storageErrors,
        not_found: "there is no such file waiting, or no such table to append to",
        conflict: "`mode` is `create`, and there is a table of this name",
        upload_unreadable:
          "the file cannot be read, a type does not hold a value exactly, or `dateOrder` is needed; the message names the line",
        quota_exceeded: "the tables would take more than the organization's quota",
      },
    })
    .input(parsed(ImportUpload))
    .output(checked(UploadedTable))
    .mutation(({ ctx, input, signal }) => importUpload(ctx.deps, ctx.caller, { ...input, signal })),
  discard: memberProcedure("uploads:write")
    .meta({
      summary: "Deletes a file that waits to be imported",
      errors: { not_found: "there is no such file waiting" },
    })
    .input(parsed(UploadId))
    .mutation(({ ctx, input }) => discardUpload(ctx.deps, ctx.caller, input)),
  drop: memberProcedure("uploads:write")
    .meta({
      dangerous: true,
      waitsForEngine: true,
      summary: "Drops a table. Runs that read it at the moment go on",
      errors: { ...storageErrors, not_found: "there is no such table" },
    })
    .input(parsed(DropTable))
    .mutation(({ ctx, input, signal }) => dropTable(ctx.deps, ctx.caller, { ...input, signal })),
} satisfies TRPCRouterRecord;
