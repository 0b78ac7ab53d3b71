import { z } from "zod";
import { Id } from "./ids.ts";
import { nameUpTo } from "./text.ts";
import { Timestamp } from "./time.ts";

/** How many groups an organization can have. */
export const maxGroups = 1_000;

const GroupName = nameUpTo(100);

export const GroupSource = z
  .enum(["manual", "oidc", "scim"])
  .describe("`manual`: admins keep it by hand; otherwise the identity provider does");
export type GroupSource = z.infer<typeof GroupSource>;

export const Group = z.object({
  id: Id,
  name: z.string(),
  source: GroupSource,
  memberCount: z.int(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Group = z.infer<typeof Group>;

export const GroupWithMembers = Group.extend({ memberIds: Id.array() });
export type GroupWithMembers = z.infer<typeof GroupWithMembers>;

export const CreateGroup = z.strictObject({ name: GroupName });
export type CreateGroup = z.infer<typeof CreateGroup>;

export const RenameGroup = z.strictObject({ groupId: Id, name: GroupName });
export type RenameGroup = z.infer<typeof RenameGroup>;

export const GroupId = z.strictObject({ groupId: Id });
export type GroupId = z.infer<typeof GroupId>;

const Members = Id.array().max(1_000);

/** Who is added and who is removed. Both may name somebody for whom nothing changes. */
export const ChangeGroupMembers = z.strictObject({
  groupId: Id,
  add: Members.default([]),
  remove: Members.default([]),
});
export type ChangeGroupMembers = z.infer<typeof ChangeGroupMembers>;
