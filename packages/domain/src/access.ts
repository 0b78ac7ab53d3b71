import { z } from "zod";
import { Id } from "./ids.ts";
import { isSystemName } from "./system-names.ts";

export const NewAccess = z
  .enum(["everybody", "nobody"])
  .describe("Who may use a new database, and see a new folder at the top: everybody, or nobody but admins");
export type NewAccess = z.infer<typeof NewAccess>;

/** Who gets a right. */
export const Grantee = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("everybody") }),
  z.strictObject({ kind: z.literal("group"), groupId: Id }),
  z.strictObject({ kind: z.literal("person"), userId: Id }),
]);
export type Grantee = z.infer<typeof Grantee>;

/** Queries that name the table must use the placeholder, which is filled in with who runs them. */
export const RowPolicies = z
  .array(
    z.strictObject({
      table: z
        .string()
        .min(1, "must not be empty")
        .max(200)
        .regex(/^[^."`]*$/, "must be the name of the table alone, without its schema and without quotes")
        .describe("Without its schema and without quotes"),
      placeholder: z
        .string()
        .max(100)
        .refine(isSystemName, "must be one that is filled in, such as user_email or user_attribute_region")
        .meta({ examples: ["user_attribute_region"] }),
    }),
  )
  .max(100);
export type RowPolicies = z.infer<typeof RowPolicies>;

export const SetRowPolicies = z.strictObject({ databaseId: Id, policies: RowPolicies });
export type SetRowPolicies = z.infer<typeof SetRowPolicies>;

/**
 * The roles of a Postgres server as which members of groups run queries there: the first group that somebody is in counts.
 * Whoever is in none runs nothing. Empty: everybody runs as the user of the connection.
 */
export const GroupRoles = z
  .array(
    z.strictObject({
      groupId: Id,
      role: z.string().min(1, "must not be empty").max(63, "must have at most 63 characters"),
    }),
  )
  .max(100);
export type GroupRoles = z.infer<typeof GroupRoles>;

export const SetGroupRoles = z.strictObject({ databaseId: Id, roles: GroupRoles });
export type SetGroupRoles = z.infer<typeof SetGroupRoles>;

/** The member as whom an admin wants to see the organization. */
export const SeeAs = z.strictObject({ userId: Id });
export type SeeAs = z.infer<typeof SeeAs>;

/** Each level contains the one before. */
const FolderLevel = z.enum(["see", "edit"]);
const DatabaseLevel = z
  .enum(["run", "write"])
  .describe("`run`: see and run saved queries on it; `write`: also write SQL, and look at its tables");

const maxGrants = 500;

const grantsOf = <Level extends z.ZodType>(level: Level) =>
  z.array(z.strictObject({ grantee: Grantee, level })).max(maxGrants);

export const FolderGrants = grantsOf(FolderLevel);
export const DatabaseGrants = grantsOf(DatabaseLevel);
export type AccessGrant = { grantee: Grantee; level: "see" | "edit" | "run" | "write" };

const NamedFolder = Id.nullable().describe("Null: what is in no folder");

export const FolderOfAccess = z.strictObject({ folderId: NamedFolder });
export type FolderOfAccess = z.infer<typeof FolderOfAccess>;

export const FolderAccess = z.object({
  grants: FolderGrants.nullable().describe(
    "Null: the rights of the folder around it; for what is in no folder: everybody edits it",
  ),
});
export type FolderAccess = z.infer<typeof FolderAccess>;

/** Replaces all rights of a folder. */
export const SetFolderAccess = z.strictObject({
  folderId: NamedFolder,
  grants: FolderGrants.nullable(),
});
export type SetFolderAccess = z.infer<typeof SetFolderAccess>;

export const DatabaseOfAccess = z.strictObject({ databaseId: Id });
export type DatabaseOfAccess = z.infer<typeof DatabaseOfAccess>;

export const DatabaseAccess = z.object({
  grants: DatabaseGrants.nullable().describe("Null: everybody writes SQL on it"),
});
export type DatabaseAccess = z.infer<typeof DatabaseAccess>;

/** Replaces all rights on a database. */
export const SetDatabaseAccess = z.strictObject({ databaseId: Id, grants: DatabaseGrants.nullable() });
export type SetDatabaseAccess = z.infer<typeof SetDatabaseAccess>;
