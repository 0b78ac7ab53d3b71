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
import { connectionErrors } from "../trpc/documented-errors.ts";
import { adminProcedure, checked, memberProcedure, parsed } from "../trpc/procedures.ts";

export const databaseRouter = {
  list: memberProcedure("queries:read")
    .meta({ summary: "Lists the names and engines of the analytical databases" })
    .output(checked(DatabaseSummary.array()))
    .query(({ ctx }) => listDatabases(ctx.deps, ctx.caller)),
  tables: memberProcedure()
    .meta({
      waitsForEngine: true,
      summary:
        "Lists the tables of a database with their columns; on Trino those of one schema, 500 at a time",
      errors: {
        ...connectionErrors,
        not_found: "there is no such database",
        database_deleted: "the database was deleted",
      },
    })
    .input(parsed(ListTables))
    .output(checked(DatabaseTable.array()))
    .query(({ ctx, input, signal }) => listTables(ctx.deps, ctx.caller, { ...input, signal })),
  schemas: memberProcedure()
    .meta({
      waitsForEngine: true,
      summary: "Lists the schemas of a database",
      errors: {
        ...connectionErrors,
        not_found: "there is no such database",
        database_deleted: "the database was deleted",
      },
    })
    .input(parsed(DatabaseId))
    .output(checked(z.string().array()))
    .query(({ ctx, input, signal }) => listSchemas(ctx.deps, ctx.caller, { ...input, signal })),
  describe: adminProcedure
    .meta({
      summary:
        "Lists the databases with their settings (without credentials) and the number of their queries",
    })
    .output(checked(DescribedDatabase.array()))
    .query(({ ctx }) => describeDatabases(ctx.deps, ctx.caller)),
  create: adminProcedure
    .meta({
      waitsForEngine: true,
      summary:
        "Creates an analytical database. It is saved even if the connection fails; `warnings` then says so",
    })
    .input(parsed(CreateDatabase))
    .output(checked(SavedDatabase))
    .mutation(({ ctx, input, signal }) => saveNewDatabase(ctx.deps, ctx.caller, { ...input, signal })),
  update: adminProcedure
    .meta({
      waitsForEngine: true,
      summary:
        "Updates the name, connection or limits of a database. Absent credentials are kept if the server is the same",
      errors: { not_found: "there is no such database", database_deleted: "the database was deleted" },
    })
    .input(parsed(UpdateDatabase))
    .output(checked(SavedDatabase))
    .mutation(({ ctx, input, signal }) => saveChangedDatabase(ctx.deps, ctx.caller, { ...input, signal })),
  delete: adminProcedure
    .meta({
      summary: "Deletes a database and stops its runs. Its queries are kept",
      errors: {
        not_found: "there is no such database",
        database_deleted: "the database was deleted already",
      },
    })
    .input(parsed(DatabaseId))
    .mutation(({ ctx, input }) => deleteDatabase(ctx.deps, ctx.caller, input)),
  test: adminProcedure
    .meta({
      waitsForEngine: true,
      summary: "Tests the connection of a saved database",
      errors: {
        ...connectionErrors,
        not_found: "there is no such database",
        database_deleted: "the database was deleted",
      },
    })
    .input(parsed(DatabaseId))
    .output(checked(TestedDatabase))
    .mutation(({ ctx, input, signal }) => testDatabase(ctx.deps, ctx.caller, { ...input, signal })),
  testConnection: adminProcedure
    .meta({
      waitsForEngine: true,
      summary: "Tests a connection that is not saved yet",
      errors: { ...connectionErrors },
    })
    .input(parsed(DatabaseConnection))
    .output(checked(TestedDatabase))
    .mutation(({ ctx, input, signal }) =>
      testConnection(ctx.deps, ctx.caller, { connection: input, signal }),
    ),
} satisfies TRPCRouterRecord;
