import { z } from "zod";
import { Id } from "./ids.ts";
import { nameUpTo, Text } from "./text.ts";
import { Timestamp } from "./time.ts";

export const maxEmbeddingKeys = 50;

/** A site as browsers name it: scheme, host and port. Nothing in it could end a directive of a content security policy. */
const Origin = z
  .string()
  .max(300, "must have at most 300 characters")
  .refine((text) => isOrigin(text), "must be an origin, such as https://app.example.com, without a path")
  .meta({ examples: ["https://app.example.com"] });

/** Names outside ASCII are written as browsers send them, in punycode. Without wildcards: `*` would be any site. */
const originPattern = /^https?:\/\/[a-z0-9.-]+(:[0-9]+)?$/;

function isOrigin(text: string): boolean {
  if (!originPattern.test(text) || !URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  const isLocal = hostname === "localhost" || hostname === "127.0.0.1";
  return origin === text && (protocol === "https:" || (protocol === "http:" && isLocal));
}

const fields = {
  name: nameUpTo(100),
  publicKey: Text.max(2000, "must have at most 2000 characters").meta({
    description: "An Ed25519 public key as PEM (`openssl pkey -pubout`). The private key stays with you",
    examples: [
      "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAp3X9qtC2bea5jetPRSZpSEMPOMjLOvbD+cG3+i74FaE=\n-----END PUBLIC KEY-----\n",
    ],
  }),
  serviceAccountId: Id.describe("The service account with whose rights statements run"),
  origins: z
    .array(Origin)
    .min(1, "must name the site that shows the frames")
    .max(20, "must be at most 20")
    .describe("The sites that may show the frames. http only for localhost"),
  cacheMinutes: z
    .int()
    .min(1, "must be at least 1")
    .max(60, "must be at most 60")
    .describe("How old the data of a frame may be, in minutes"),
};

export const CreateEmbeddingKey = z.strictObject({
  name: fields.name,
  publicKey: fields.publicKey,
  serviceAccountId: fields.serviceAccountId,
  origins: fields.origins,
  cacheMinutes: fields.cacheMinutes.default(10),
});
export type CreateEmbeddingKey = z.infer<typeof CreateEmbeddingKey>;

/** Absent fields are not changed. */
export const UpdateEmbeddingKey = z.strictObject({
  id: Id,
  name: fields.name.optional(),
  serviceAccountId: fields.serviceAccountId.optional(),
  origins: fields.origins.optional(),
  cacheMinutes: fields.cacheMinutes.optional(),
});
export type UpdateEmbeddingKey = z.infer<typeof UpdateEmbeddingKey>;

export const RotateEmbeddingKey = z.strictObject({ id: Id, publicKey: fields.publicKey });
export type RotateEmbeddingKey = z.infer<typeof RotateEmbeddingKey>;

export const EmbeddingKeyId = z.strictObject({ id: Id });
export type EmbeddingKeyId = z.infer<typeof EmbeddingKeyId>;

export const EmbeddingKey = z.object({
  id: Id.describe("The `kid` of its tokens"),
  name: z.string(),
  publicKey: z.string(),
  serviceAccountId: Id,
  isActive: z
    .boolean()
    .describe("Whether its tokens count: an admin allows embedding, and the service account is a member"),
  origins: z.array(z.string()),
  cacheMinutes: z.int(),
  createdBy: Id,
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable().describe("When a token was last exchanged, to the minute"),
});
export type EmbeddingKey = z.infer<typeof EmbeddingKey>;

export const EmbeddingKeyList = z.object({
  url: z
    .string()
    .nullable()
    .describe("Where tokens are exchanged; null if this deployment serves no public pages"),
  isAllowed: z.boolean().describe("Whether an admin allows embedding in this organization"),
  keys: z.array(EmbeddingKey).describe("Newest first"),
});
export type EmbeddingKeyList = z.infer<typeof EmbeddingKeyList>;
