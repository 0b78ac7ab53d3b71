import {
  getDatabaseAccess,
  getFolderAccess,
  getGroupRoles,
  getRowPolicies,
  seeAs,
  setDatabaseAccess,
  setFolderAccess,
  setGroupRoles,
  setRowPolicies,
} from "@querybell/core/access";
import {
  DatabaseAccess,
  DatabaseOfAccess,
  FolderAccess,
  FolderOfAccess,
  GroupRoles,
  RowPolicies,
  SeeAs,
  SetDatabaseAccess,
  SetFolderAccess,
  SetGroupRoles,
  SetRowPolicies,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { adminProcedure, checked, parsed } from "../trpc/procedures.ts";

const database_deleted = "the database was deleted";

export const accessRouter = {
  getFolder: adminProcedure
    .meta({
      summary: "Gets [who sees and edits](../access.md) a folder, or what is in no folder",
      errors: { not_found: "there is no such folder" },
    })
    .input(parsed(FolderOfAccess))
    .output(checked(FolderAccess))
    .query(({ ctx, input }) => getFolderAccess(ctx.deps, ctx.caller, input)),
  setFolder: adminProcedure
    .meta({
      dangerous: true,
      summary: "Replaces who sees and edits a folder, or what is in no folder",
      errors: { not_found: "there is no such folder, group or member" },
    })
    .input(parsed(SetFolderAccess))
    .mutation(({ ctx, input }) => setFolderAccess(ctx.deps, ctx.caller, input)),
  getDatabase: adminProcedure
    .meta({
      summary: "Gets [who runs queries and writes SQL](../access.md) on a database",
      errors: { not_found: "there is no such database", database_deleted },
    })
    .input(parsed(DatabaseOfAccess))
    .output(checked(DatabaseAccess))
    .query(({ ctx, input }) => getDatabaseAccess(ctx.deps, ctx.caller, input)),
  setDatabase: adminProcedure
    .meta({
      dangerous: true,
      summary: "Replaces who runs queries and writes SQL on a database",
      errors: { not_found: "there is no such database, group or member", database_deleted },
    })
    .input(parsed(SetDatabaseAccess))
    .mutation(({ ctx, input }) => setDatabaseAccess(ctx.deps, ctx.caller, input)),
  rowPolicies: adminProcedure
    .meta({
      summary:
        "Gets the tables of a database whose queries must filter by [who runs them](../access.md#row-rights)",
      errors: { not_found: "there is no such database", database_deleted },
    })
    .input(parsed(DatabaseOfAccess))
    .output(checked(RowPolicies))
    .query(({ ctx, input }) => getRowPolicies(ctx.deps, ctx.caller, input)),
  setRowPolicies: adminProcedure
    .meta({
      dangerous: true,
      summary: "Replaces the tables of a database whose queries must filter by who runs them",
      errors: { not_found: "there is no such database", database_deleted },
    })
    .input(parsed(SetRowPolicies))
    .mutation(({ ctx, input }) => setRowPolicies(ctx.deps, ctx.caller, input)),
  groupRoles: adminProcedure
    .meta({
      summary: "Gets the roles as which groups run queries on a Postgres",
      errors: { not_found: "there is no such database", database_deleted },
    })
    .input(parsed(DatabaseOfAccess))
    .output(checked(GroupRoles))
    .query(({ ctx, input }) => getGroupRoles(ctx.deps, ctx.caller, input)),
  setGroupRoles: adminProcedure
    .meta({
      dangerous: true,
      summary: "Replaces the roles as which groups run queries on a Postgres",
      errors: { not_found: "there is no such database or group", database_deleted },
    })
    .input(parsed(SetGroupRoles))
    .mutation(({ ctx, input }) => setGroupRoles(ctx.deps, ctx.caller, input)),
  seeAs: adminProcedure
    .meta({
      summary: "Shows the organization as a member sees it, in this session, until `me.stopSeeingAs`",
      errors: {
        not_found: "there is no such member",
        forbidden: "the member is an owner and you are not",
      },
    })
    .input(parsed(SeeAs))
    .mutation(({ ctx, input }) => seeAs(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
