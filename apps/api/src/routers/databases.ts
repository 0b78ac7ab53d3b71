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
import { checked } from "../trpc/checked.ts";
import { connectionErrors } from "../trpc/documented-errors.ts";
import { adminProcedure, memberProcedure } from "../trpc/procedures.ts";

export const databaseRouter = {
  list: memberProcedure("queries:read")
    .meta({ summary: "Names of the analytical databases" })
    .output(checked(DatabaseSummary.array()))
    .query(({ ctx }) => listDatabases(ctx.deps, ctx.caller)),
  tables: memberProcedure()
    .meta({
      waitsForEngine: true,
      summary: "The tables of a database, with their columns; on Trino of one schema, 500 at a time",
      errors: {
        ...connectionErrors,
        not_found: "there is no such database",
        database_deleted: "the database was deleted",
      },
    })
    .input(ListTables)
    .output(checked(DatabaseTable.array()))
    .query(({ ctx, input, signal }) => listTables(ctx.deps, ctx.caller, { ...input, signal })),
  schemas: memberProcedure()
    .meta({
      waitsForEngine: true,
      summary: "The schemas of a database, by which its tables can be listed",
      errors: {
        ...connectionErrors,
        not_found: "there is no such database",
        database_deleted: "the database was deleted",
      },
    })
    .input(DatabaseId)
    .output(checked(z.string().array()))
    .query(({ ctx, input, signal }) => listSchemas(ctx.deps, ctx.caller, { ...input, signal })),
  describe: adminProcedure
    .meta({ summary: "Everything about the databases but their passwords, and how many queries use each" })
    .output(checked(DescribedDatabase.array()))
    .query(({ ctx }) => describeDatabases(ctx.deps, ctx.caller)),
  create: adminProcedure
    .meta({
      waitsForEngine: true,
      summary:
        "Adds an analytical database. It is saved even if it cannot be connected to; `warnings` then says so",
    })
    .input(CreateDatabase)
    .output(checked(SavedDatabase))
    .mutation(({ ctx, input, signal }) => saveNewDatabase(ctx.deps, ctx.caller, { ...input, signal })),
  update: adminProcedure
    .meta({
      waitsForEngine: true,
      summary:
        "Changes the name, connection or limits of a database. The password stays if it is left out and the server stays the same",
      errors: { not_found: "there is no such database", database_deleted: "the database was deleted" },
    })
    .input(UpdateDatabase)
    .output(checked(SavedDatabase))
    .mutation(({ ctx, input, signal }) => saveChangedDatabase(ctx.deps, ctx.caller, { ...input, signal })),
  delete: adminProcedure
    .meta({
      summary: "Deletes a database and ends what runs there; its queries stay",
      errors: {
        not_found: "there is no such database",
        database_deleted: "the database was deleted already",
      },
    })
    .input(DatabaseId)
    .mutation(({ ctx, input }) => deleteDatabase(ctx.deps, ctx.caller, input)),
  test: adminProcedure
    .meta({
      waitsForEngine: true,
      summary: "Tries the connection of a saved database",
      errors: {
        ...connectionErrors,
        not_found: "there is no such database",
        database_deleted: "the database was deleted",
      },
    })
    .input(DatabaseId)
    .output(checked(TestedDatabase))
    .mutation(({ ctx, input, signal }) => testDatabase(ctx.deps, ctx.caller, { ...input, signal })),
  testConnection: adminProcedure
    .meta({
      waitsForEngine: true,
      summary: "Tries a connection before it is saved",
      errors: { ...connectionErrors },
    })
    .input(DatabaseConnection)
    .output(checked(TestedDatabase))
    .mutation(({ ctx, input, signal }) =>
      testConnection(ctx.deps, ctx.caller, { connection: input, signal }),
    ),
} satisfies TRPCRouterRecord;
