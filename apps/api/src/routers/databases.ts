import {
  deleteDatabase,
  describeDatabases,
  listDatabases,
  listDescriptions,
  listSchemas,
  listTables,
  previewTable,
  profileColumn,
  saveChangedDatabase,
  saveDescription,
  saveNewDatabase,
  testConnection,
  testDatabase,
} from "@querybell/core/databases";
import {
  ColumnProfile,
  CreateDatabase,
  DatabaseColumnName,
  DatabaseConnection,
  DatabaseId,
  DatabaseSummary,
  DatabaseTable,
  DatabaseTableName,
  DescribedDatabase,
  ListTables,
  SaveDescription,
  SavedDatabase,
  TableDescription,
  TablePreview,
  TestedDatabase,
  UpdateDatabase,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { z } from "zod";
import { connectionErrors } from "../trpc/documented-errors.ts";
import { adminProcedure, checked, memberProcedure, parsed, viewerProcedure } from "../trpc/procedures.ts";

const tableErrors = {
  not_found: "there is no such database",
  database_deleted: "the database was deleted",
  query_failed: "the database has no such table or column, may not read it, or takes too long",
};

export const databaseRouter = {
  list: viewerProcedure("queries:read")
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
  preview: memberProcedure()
    .meta({
      waitsForEngine: true,
      summary: "Reads the first rows of a table, at most 50",
      errors: { ...connectionErrors, ...tableErrors },
    })
    .input(parsed(DatabaseTableName))
    .output(checked(TablePreview))
    .query(({ ctx, input, signal }) => previewTable(ctx.deps, ctx.caller, { ...input, signal })),
  profile: memberProcedure()
    .meta({
      waitsForEngine: true,
      summary:
        "Computes what a column holds, from the first 100,000 rows of its table: nulls, different values, range, most frequent values",
      errors: { ...connectionErrors, ...tableErrors },
    })
    .input(parsed(DatabaseColumnName))
    .output(checked(ColumnProfile))
    .query(({ ctx, input, signal }) => profileColumn(ctx.deps, ctx.caller, { ...input, signal })),
  descriptions: memberProcedure()
    .meta({
      summary: "Lists what people have written about the tables and columns of a database",
      errors: { not_found: "there is no such database", database_deleted: "the database was deleted" },
    })
    .input(parsed(DatabaseId))
    .output(checked(TableDescription.array()))
    .query(({ ctx, input }) => listDescriptions(ctx.deps, ctx.caller, input)),
  saveDescription: memberProcedure()
    .meta({
      summary: "Writes, replaces or removes the description of a table or a column",
      errors: {
        not_found: "there is no such database",
        database_deleted: "the database was deleted",
        conflict: "5,000 tables and columns of the database are described already",
      },
    })
    .input(parsed(SaveDescription))
    .mutation(({ ctx, input }) => saveDescription(ctx.deps, ctx.caller, input)),
  describe: adminProcedure
    .meta({
      summary:
        "Lists the databases with their settings (without credentials) and the number of their queries",
    })
    .output(checked(DescribedDatabase.array()))
    .query(({ ctx }) => describeDatabases(ctx.deps, ctx.caller)),
  create: adminProcedure
    .meta({
      dangerous: true,
      waitsForEngine: true,
      summary:
        "Creates an analytical database. It is saved even if the connection fails; `warnings` then says so",
    })
    .input(parsed(CreateDatabase))
    .output(checked(SavedDatabase))
    .mutation(({ ctx, input, signal }) => saveNewDatabase(ctx.deps, ctx.caller, { ...input, signal })),
  update: adminProcedure
    .meta({
      dangerous: true,
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
      dangerous: true,
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
