import {
  deleteDatabase,
  describeDatabases,
  listDatabases,
  listSchemas,
  listTables,
  saveChangedDatabase,
  saveNewDatabase,
  testConnection,
  testDatabase,
} from "@querybell/core/databases";
import {
  CreateDatabase,
  DatabaseConnection,
  DatabaseId,
  DatabaseSummary,
  DatabaseTable,
  DescribedDatabase,
  ListTables,
  SavedDatabase,
  TestedDatabase,
  UpdateDatabase,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { z } from "zod";
import { adminProcedure, memberProcedure } from "../trpc/procedures.ts";

export const databaseRouter = {
  list: memberProcedure("queries:read")
    .output(DatabaseSummary.array())
    .query(({ ctx }) => listDatabases(ctx.deps, ctx.caller)),
  tables: memberProcedure()
    .input(ListTables)
    .output(DatabaseTable.array())
    .query(({ ctx, input, signal }) => listTables(ctx.deps, ctx.caller, { ...input, signal })),
  schemas: memberProcedure()
    .input(DatabaseId)
    .output(z.string().array())
    .query(({ ctx, input, signal }) => listSchemas(ctx.deps, ctx.caller, { ...input, signal })),
  describe: adminProcedure
    .output(DescribedDatabase.array())
    .query(({ ctx }) => describeDatabases(ctx.deps, ctx.caller)),
  create: adminProcedure
    .input(CreateDatabase)
    .output(SavedDatabase)
    .mutation(({ ctx, input, signal }) => saveNewDatabase(ctx.deps, ctx.caller, { ...input, signal })),
  update: adminProcedure
    .input(UpdateDatabase)
    .output(SavedDatabase)
    .mutation(({ ctx, input, signal }) => saveChangedDatabase(ctx.deps, ctx.caller, { ...input, signal })),
  delete: adminProcedure
    .input(DatabaseId)
    .mutation(({ ctx, input }) => deleteDatabase(ctx.deps, ctx.caller, input)),
  test: adminProcedure
    .input(DatabaseId)
    .output(TestedDatabase)
    .mutation(({ ctx, input, signal }) => testDatabase(ctx.deps, ctx.caller, { ...input, signal })),
  testConnection: adminProcedure
    .input(DatabaseConnection)
    .output(TestedDatabase)
    .mutation(({ ctx, input, signal }) =>
      testConnection(ctx.deps, ctx.caller, { connection: input, signal }),
    ),
} satisfies TRPCRouterRecord;
