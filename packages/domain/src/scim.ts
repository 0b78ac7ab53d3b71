import { z } from "zod";
import { Timestamp } from "./time.ts";

// SCIM 2.0 (RFC 7643, 7644), as far as providers of identities use it.

/** The token of an organization, without its text. */
export const ScimToken = z.object({
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
  url: z.string().describe("The base of the routes, to enter at the provider"),
});
export type ScimToken = z.infer<typeof ScimToken>;

/** Null: provisioning is not set up. */
export const ScimState = z.object({
  token: ScimToken.nullable(),
  users: z.int().describe("How many people the provider has named, also disabled ones"),
});
export type ScimState = z.infer<typeof ScimState>;

/** The text of the token is shown only here. */
export const CreatedScimToken = z.object({ text: z.string(), url: z.string() });
export type CreatedScimToken = z.infer<typeof CreatedScimToken>;

const Text = z.string().max(500);

/** Entra sends booleans as text. */
const Flag = z.union([z.boolean(), z.stringbool({ truthy: ["true"], falsy: ["false"] })]);

const Email = z.object({ value: Text, primary: Flag.optional(), type: Text.optional() });

/** A user as a provider sends it. Attributes that we do not keep are ignored. */
export const ScimUserContent = z.object({
  userName: Text.min(1),
  externalId: Text.nullish(),
  displayName: Text.nullish(),
  name: z
    .object({ formatted: Text.nullish(), givenName: Text.nullish(), familyName: Text.nullish() })
    .nullish(),
  emails: z.array(Email).max(20).nullish(),
  active: Flag.default(true),
});
export type ScimUserContent = z.infer<typeof ScimUserContent>;

const Member = z.object({ value: Text.min(1) });

export const ScimGroupContent = z.object({
  displayName: Text.min(1),
  externalId: Text.nullish(),
  members: z.array(Member).max(10_000).nullish(),
});
export type ScimGroupContent = z.infer<typeof ScimGroupContent>;

export const ScimPatch = z.object({
  Operations: z
    .array(
      z.object({
        op: z
          .string()
          .toLowerCase()
          .pipe(z.enum(["add", "replace", "remove"])),
        path: Text.optional(),
        value: z.json().optional(),
      }),
    )
    .min(1)
    .max(1000),
});
export type ScimPatch = z.infer<typeof ScimPatch>;

export const ScimListQuery = z.object({
  filter: Text.optional(),
  startIndex: z.coerce.number().int().catch(1).default(1),
  count: z.coerce.number().int().catch(100).default(100),
  excludedAttributes: Text.optional(),
});
export type ScimListQuery = z.infer<typeof ScimListQuery>;
