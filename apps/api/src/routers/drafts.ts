import {
  createDraft,
  deleteDraft,
  findDraft,
  getDraft,
  listDrafts,
  runDraft,
  saveDraft,
  updateDraft,
} from "@querybell/core/drafts";
import {
  CreateDraft,
  Draft,
  DraftId,
  FindDraft,
  ListedDraft,
  Query,
  Run,
  RunDraft,
  SaveDraft,
  UpdateDraft,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { sqlErrors, valueErrors } from "../trpc/documented-errors.ts";
import { checked, memberProcedure, parsed } from "../trpc/procedures.ts";

const notFound = { not_found: "there is no such draft of yours" };
const unfitParameters = {
  invalid_parameter_value: "a default or a choice does not fit the type of its parameter",
};
const draftChanged = { draft_changed: "there is a newer revision than `revision`" };

/** Without scopes: no key sees a draft. */
export const draftRouter = {
  list: memberProcedure()
    .meta({ summary: "Lists your [drafts](../queries.md#drafts), the last changed one first" })
    .output(checked(ListedDraft.array()))
    .query(({ ctx }) => listDrafts(ctx.deps, ctx.caller)),
  get: memberProcedure()
    .meta({ summary: "Gets one of your drafts, with its latest trial", errors: notFound })
    .input(parsed(DraftId))
    .output(checked(Draft))
    .query(({ ctx, input }) => getDraft(ctx.deps, ctx.caller, input)),
  find: memberProcedure()
    .meta({
      summary: "Finds your draft of a saved query; null if there is none",
      errors: { not_found: "there is no such query" },
    })
    .input(parsed(FindDraft))
    .output(checked(Draft.nullable()))
    .query(({ ctx, input }) => findDraft(ctx.deps, ctx.caller, input)),
  create: memberProcedure()
    .meta({
      summary: "Stores unsaved SQL: a new query, or a change of a saved one. Only you see it",
      errors: {
        not_found: "there is no such database or query, or choices come from a query that does not exist",
        ...unfitParameters,
        database_deleted: "the database was deleted",
        draft_changed: "you have a draft of this query already, with another content",
        conflict: "you have 100 drafts",
      },
    })
    .input(parsed(CreateDraft))
    .output(checked(Draft))
    .mutation(({ ctx, input }) => createDraft(ctx.deps, ctx.caller, input)),
  update: memberProcedure()
    .meta({
      summary: "Changes a draft",
      errors: {
        not_found: "there is no such draft of yours, no such database, or no such query of choices",
        ...unfitParameters,
        database_deleted: "the database was deleted",
        ...draftChanged,
      },
    })
    .input(parsed(UpdateDraft))
    .output(checked(Draft))
    .mutation(({ ctx, input }) => updateDraft(ctx.deps, ctx.caller, input)),
  delete: memberProcedure()
    .meta({ summary: "Deletes a draft, and cancels its trial", errors: notFound })
    .input(parsed(DraftId))
    .mutation(({ ctx, input }) => deleteDraft(ctx.deps, ctx.caller, input)),
  run: memberProcedure()
    .meta({
      summary:
        "Runs the text of a draft as a trial, which only you see ([trials](../queries.md#drafts)). Cancels its earlier trial",
      errors: {
        ...sqlErrors,
        ...valueErrors,
        misplaced_placeholder: "a placeholder is malformed, part of a quoted name, or a list inside a string",
        statement_too_large: "the SQL has too many placeholders, or becomes too large with these values",
        ...notFound,
        ...draftChanged,
      },
    })
    .input(parsed(RunDraft))
    .output(checked(Run))
    .mutation(({ ctx, input }) => runDraft(ctx.deps, ctx.caller, input)),
  save: memberProcedure()
    .meta({
      summary:
        "Saves a draft with its parameters as a new query, or as a version of the query that it changes, and removes it. If its trial ran this text, the query gets that run and its result",
      errors: {
        ...sqlErrors,
        database_deleted: "the database was deleted",
        not_found: "there is no such draft of yours, or no such folder",
        ...draftChanged,
        query_changed: "somebody saved the query or its parameters since: there is a newer version",
        conflict: "a type changes, and the default of a reference does not fit the new one",
      },
    })
    .input(parsed(SaveDraft))
    .output(checked(Query))
    .mutation(({ ctx, input }) => saveDraft(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
