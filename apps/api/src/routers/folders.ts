import { createFolder, deleteFolder, listFolders, updateFolder } from "@querybell/core/folders";
import { CreateFolder, Folder, FolderId, UpdateFolder } from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked, memberProcedure, parsed, viewerProcedure } from "../trpc/procedures.ts";

export const folderRouter = {
  list: viewerProcedure()
    .meta({ summary: "Lists every folder, by name. An organization has at most 1,000" })
    .output(checked(Folder.array()))
    .query(({ ctx }) => listFolders(ctx.deps, ctx.caller)),
  create: memberProcedure()
    .meta({
      summary: "Creates a folder",
      errors: {
        not_found: "there is no such parent",
        conflict:
          "the parent has a folder of this name, the tree would be deeper than 8 levels, or there are 1,000 folders",
      },
    })
    .input(parsed(CreateFolder))
    .output(checked(Folder))
    .mutation(({ ctx, input }) => createFolder(ctx.deps, ctx.caller, input)),
  update: memberProcedure()
    .meta({
      summary: "Renames a folder, or moves it with all that is in it",
      errors: {
        not_found: "there is no such folder or parent",
        conflict:
          "the parent has a folder of this name, is inside this folder, or the tree would be deeper than 8 levels",
      },
    })
    .input(parsed(UpdateFolder))
    .output(checked(Folder))
    .mutation(({ ctx, input }) => updateFolder(ctx.deps, ctx.caller, input)),
  delete: memberProcedure()
    .meta({
      summary: "Deletes a folder. What is in it moves up to its parent",
      errors: {
        not_found: "there is no such folder",
        conflict: "a folder in it has the name of a folder of the parent",
      },
    })
    .input(parsed(FolderId))
    .mutation(({ ctx, input }) => deleteFolder(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
