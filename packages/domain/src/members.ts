import { z } from "zod";
import { Id } from "./ids.ts";
import { Role } from "./roles.ts";
import { Timestamp } from "./timestamp.ts";

export const Member = z.object({
  userId: Id,
  name: z.string(),
  email: z.string(),
  role: Role,
  createdAt: Timestamp,
});
export type Member = z.infer<typeof Member>;

export const ChangeRole = z.strictObject({ userId: Id, role: Role });
export type ChangeRole = z.infer<typeof ChangeRole>;

export const RemoveMember = z.strictObject({ userId: Id });
export type RemoveMember = z.infer<typeof RemoveMember>;

export const CreatePasswordResetLink = z.strictObject({ userId: Id });
export type CreatePasswordResetLink = z.infer<typeof CreatePasswordResetLink>;

/** A link for another person, shown only once, to its creator. */
export const SharedLink = z.object({
  url: z.url(),
  expiresAt: Timestamp,
  mailed: z.boolean().describe("Whether it was also sent by mail"),
});
export type SharedLink = z.infer<typeof SharedLink>;
