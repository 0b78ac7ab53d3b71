import {
  archiveItems,
  deleteItems,
  duplicateItems,
  findDependents,
  findUndoableDeletion,
  getItem,
  listFavourites,
  listItems,
  moveItems,
  setFavourite,
  undoDelete,
} from "@querybell/core/library";
import {
  ArchiveItems,
  Deletion,
  DeletionId,
  Dependents,
  DuplicateItems,
  Favourite,
  ItemAddress,
  ItemId,
  Items,
  LibraryItem,
  ListItems,
  MoveItems,
  pageOf,
  SetFavourite,
  UndoableDeletion,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked, memberProcedure, parsed, viewerProcedure } from "../trpc/procedures.ts";

const noSuchItem = "there is no such item";

/** Queries, references and automations as the web app lists them. */
export const libraryRouter = {
  list: viewerProcedure()
    .meta({
      summary:
        "Lists the queries, references or automations, sorted and filtered ([how](../library.md#lists)). The list is live",
    })
    .input(parsed(ListItems))
    .output(checked(pageOf(LibraryItem)))
    .query(({ ctx, input }) => listItems(ctx.deps, ctx.caller, input)),
  get: viewerProcedure()
    .meta({ summary: "Gets one item as `library.list` shows it", errors: { not_found: noSuchItem } })
    .input(parsed(ItemId))
    .output(checked(LibraryItem))
    .query(({ ctx, input }) => getItem(ctx.deps, ctx.caller, input)),
  favourites: viewerProcedure()
    .meta({ summary: "Lists the caller's favourites of every kind, newest first" })
    .output(checked(Favourite.array()))
    .query(({ ctx }) => listFavourites(ctx.deps, ctx.caller)),
  setFavourite: viewerProcedure()
    .meta({
      summary: "Marks an item or a folder as a favourite of the caller, or not",
      errors: { not_found: noSuchItem, conflict: "the caller has 200 favourites" },
    })
    .input(parsed(SetFavourite))
    .mutation(({ ctx, input }) => setFavourite(ctx.deps, ctx.caller, input)),
  move: memberProcedure()
    .meta({
      summary: "Moves items into a folder, all or none of them",
      errors: { not_found: "there is no such item or folder" },
    })
    .input(parsed(MoveItems))
    .mutation(({ ctx, input }) => moveItems(ctx.deps, ctx.caller, input)),
  archive: memberProcedure()
    .meta({
      summary:
        "Archives queries and references, or brings them back ([what it means](../library.md#archive))",
      errors: { not_found: noSuchItem },
    })
    .input(parsed(ArchiveItems))
    .mutation(({ ctx, input }) => archiveItems(ctx.deps, ctx.caller, input)),
  duplicate: memberProcedure()
    .meta({
      summary: "Duplicates queries and references, next to the originals",
      errors: {
        not_found: noSuchItem,
        conflict: "100 references of the query have parameters",
        database_deleted: "the database of a query was deleted",
      },
    })
    .input(parsed(DuplicateItems))
    .output(checked(ItemAddress.array()))
    .mutation(({ ctx, input }) => duplicateItems(ctx.deps, ctx.caller, input)),
  dependents: memberProcedure()
    .meta({ summary: "Finds what is affected when these items are deleted" })
    .input(parsed(Items))
    .output(checked(Dependents))
    .query(({ ctx, input }) => findDependents(ctx.deps, ctx.caller, input)),
  delete: memberProcedure()
    .meta({
      summary:
        "Deletes items, all or none of them. The caller can undo it for a minute ([what it means](../library.md#delete))",
      errors: { not_found: noSuchItem },
    })
    .input(parsed(Items))
    .output(checked(Deletion))
    .mutation(({ ctx, input }) => deleteItems(ctx.deps, ctx.caller, input)),
  undoableDeletion: memberProcedure()
    .meta({ summary: "Gets the caller's last deletion that can still be undone; null if there is none" })
    .output(checked(UndoableDeletion.nullable()))
    .query(({ ctx }) => findUndoableDeletion(ctx.deps, ctx.caller)),
  undoDelete: memberProcedure()
    .meta({
      summary: "Undoes a deletion of the caller within a minute",
      errors: {
        not_found: "the caller has made no such deletion",
        conflict: "the minute is over, it was undone already, or the query of a reference was deleted since",
      },
    })
    .input(parsed(DeletionId))
    .mutation(({ ctx, input }) => undoDelete(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
