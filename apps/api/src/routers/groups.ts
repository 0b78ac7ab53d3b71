import {
  changeGroupMembers,
  createGroup,
  deleteGroup,
  getGroup,
  listGroups,
  renameGroup,
} from "@querybell/core/groups";
import {
  ChangeGroupMembers,
  CreateGroup,
  Group,
  GroupId,
  GroupWithMembers,
  RenameGroup,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { adminProcedure, checked, parsed } from "../trpc/procedures.ts";

const not_found = "there is no such group";
const keptElsewhere = "the identity provider keeps the group";

export const groupRouter = {
  list: adminProcedure
    .meta({ summary: "Lists the groups of the organization, by name" })
    .output(checked(Group.array()))
    .query(({ ctx }) => listGroups(ctx.deps, ctx.caller)),
  get: adminProcedure
    .meta({ summary: "Gets a group with its members", errors: { not_found } })
    .input(parsed(GroupId))
    .output(checked(GroupWithMembers))
    .query(({ ctx, input }) => getGroup(ctx.deps, ctx.caller, input)),
  create: adminProcedure
    .meta({
      summary: "Creates a group of members, to give them [rights](../access.md) together",
      errors: { conflict: "another group has the name, or there are 1,000 groups" },
    })
    .input(parsed(CreateGroup))
    .output(checked(Group))
    .mutation(({ ctx, input }) => createGroup(ctx.deps, ctx.caller, input)),
  rename: adminProcedure
    .meta({
      summary: "Renames a group",
      errors: { not_found, conflict: `another group has the name, or ${keptElsewhere}` },
    })
    .input(parsed(RenameGroup))
    .mutation(({ ctx, input }) => renameGroup(ctx.deps, ctx.caller, input)),
  changeMembers: adminProcedure
    .meta({
      dangerous: true,
      summary: "Adds members to a group and removes others from it",
      errors: { not_found: "there is no such group, or no such member to add", conflict: keptElsewhere },
    })
    .input(parsed(ChangeGroupMembers))
    .mutation(({ ctx, input }) => changeGroupMembers(ctx.deps, ctx.caller, input)),
  delete: adminProcedure
    .meta({ dangerous: true, summary: "Deletes a group with the rights that it has", errors: { not_found } })
    .input(parsed(GroupId))
    .mutation(({ ctx, input }) => deleteGroup(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
