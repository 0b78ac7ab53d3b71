import { z } from "zod";
import { Scope } from "./caller.ts";
import { Id } from "./ids.ts";
import { nameUpTo } from "./text.ts";
import { Moment, Timestamp } from "./time.ts";

const Narrowed = Id.array().min(1, "must name at least one").max(1_000);

const DatabaseIds = Narrowed.nullable().describe("The only databases that it can be used for; null: all");
const FolderIds = Id.nullable()
  .array()
  .min(1, "must name at least one")
  .max(1_000)
  .nullable()
  .describe(
    "The only folders that it sees, with those below them; null among them: what is in no folder; null: all",
  );

export const CreateApiKey = z.strictObject({
  name: nameUpTo(100),
  scopes: z
    .array(Scope)
    .min(1, "must name at least one scope")
    .transform((scopes) => [...new Set(scopes)].sort()),
  expiresAt: Moment.optional(),
  serviceAccountId: Id.optional().describe("The service account that it acts for; absent: the caller"),
  databaseIds: DatabaseIds.default(null),
  folderIds: FolderIds.default(null),
});
/** A key without limits to databases and folders needs none of the later fields. */
export type CreateApiKey = Omit<z.infer<typeof CreateApiKey>, "databaseIds" | "folderIds"> &
  Partial<Pick<z.infer<typeof CreateApiKey>, "databaseIds" | "folderIds">>;

export const ApiKey = z.object({
  id: Id,
  name: z.string(),
  start: z.string().describe("The first characters of the key, by which its owner recognizes it"),
  userId: Id,
  scopes: z.array(Scope),
  databaseIds: DatabaseIds,
  folderIds: FolderIds,
  createdAt: Timestamp,
  expiresAt: Timestamp.nullable(),
  lastUsedAt: Timestamp.nullable(),
});
export type ApiKey = z.infer<typeof ApiKey>;

/** The answer to creating a key. Its text is shown only here. */
export const CreatedApiKey = ApiKey.extend({ key: z.string() });
export type CreatedApiKey = z.infer<typeof CreatedApiKey>;

export const RevokeApiKey = z.strictObject({ id: Id });
export type RevokeApiKey = z.infer<typeof RevokeApiKey>;

/** What `GET /api/key` says about the key that was presented. */
export const PresentedKey = z.object({
  id: Id,
  name: z.string(),
  organization: z.object({ id: Id, name: z.string() }),
  user: z.object({ id: Id, name: z.string(), email: z.string() }),
  scopes: z.array(Scope),
  databaseIds: DatabaseIds,
  folderIds: FolderIds,
  expiresAt: Timestamp.nullable(),
});
export type PresentedKey = z.infer<typeof PresentedKey>;
