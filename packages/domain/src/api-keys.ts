import { z } from "zod";
import { Scope } from "./caller.ts";
import { Id } from "./ids.ts";
import { nameUpTo } from "./text.ts";
import { Moment, Timestamp } from "./time.ts";

export const CreateApiKey = z.strictObject({
  name: nameUpTo(100),
  scopes: z
    .array(Scope)
    .min(1, "must name at least one scope")
    .transform((scopes) => [...new Set(scopes)].sort()),
  expiresAt: Moment.optional(),
});
export type CreateApiKey = z.infer<typeof CreateApiKey>;

export const ApiKey = z.object({
  id: Id,
  name: z.string(),
  start: z.string().describe("The first characters of the key, by which its owner recognizes it"),
  userId: Id,
  scopes: z.array(Scope),
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
  expiresAt: Timestamp.nullable(),
});
export type PresentedKey = z.infer<typeof PresentedKey>;
