import { z } from "zod";
import { Role } from "./caller.ts";
import { Id } from "./ids.ts";
import { MemberAttributes } from "./member-attributes.ts";
import { nameUpTo } from "./text.ts";
import { Timestamp } from "./time.ts";
import { unlessAbsent } from "./zod-messages.ts";

export const Member = z.object({
  userId: Id,
  name: z.string(),
  email: z.string(),
  role: Role,
  isService: z
    .boolean()
    .describe("Whether it is a service account: programs use it, and nobody signs in as it"),
  hasSecondFactor: z.boolean(),
  createdAt: Timestamp,
});
export type Member = z.infer<typeof Member>;

/** A service account is a member for programs. It has a role, can be in groups, and has API keys. */
export const CreateServiceAccount = z.strictObject({
  name: nameUpTo(100),
  role: Role.exclude(["owner"]),
});
export type CreateServiceAccount = z.infer<typeof CreateServiceAccount>;

export const MemberId = z.strictObject({ userId: Id });
export type MemberId = z.infer<typeof MemberId>;

export const SetAttributes = z.strictObject({ userId: Id, attributes: MemberAttributes });
export type SetAttributes = z.infer<typeof SetAttributes>;

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

export const Email = z
  .email({ error: unlessAbsent("must be an email address") })
  .max(254)
  .toLowerCase();

export const CreateInvitation = z.strictObject({ email: Email, role: Role });
export type CreateInvitation = z.infer<typeof CreateInvitation>;

export const Invitation = z.object({
  id: Id,
  email: z.string(),
  role: Role,
  createdBy: Id.nullable().describe("Null for the operator of the deployment"),
  createdAt: Timestamp,
  expiresAt: Timestamp,
});
export type Invitation = z.infer<typeof Invitation>;

/** The answer to creating an invitation. The link is shown only here. */
export const CreatedInvitation = Invitation.extend({ link: SharedLink });
export type CreatedInvitation = z.infer<typeof CreatedInvitation>;

export const RevokeInvitation = z.strictObject({ id: Id });
export type RevokeInvitation = z.infer<typeof RevokeInvitation>;

export const InvitationToken = z.strictObject({ token: z.string().min(1).max(200) });
export type InvitationToken = z.infer<typeof InvitationToken>;

/** The content of an invitation before it is accepted. */
export const OpenInvitation = z.object({
  organizationName: z.string(),
  email: z.string(),
  role: Role,
  expiresAt: Timestamp,
  /**
   * The state of the address's account. Only a link that proves the address shows it: a mailed one, or the operator's.
   * For the link that the inviting admin saw it is `unknown`. `unverified`: no person has proven to own the address.
   */
  account: z
    .enum(["none", "verified", "unverified", "unknown"])
    .describe("The account of this address; `unknown` unless the link was mailed to it or is the operator's"),
});
export type OpenInvitation = z.infer<typeof OpenInvitation>;

export const Password = z
  .string()
  .min(10, "must have at least 10 characters")
  .max(128, "must have at most 128 characters");

export const ChangePassword = z.strictObject({
  currentPassword: z.string().max(128, "must have at most 128 characters"),
  newPassword: Password,
});
export type ChangePassword = z.infer<typeof ChangePassword>;

export const ResetPassword = z.strictObject({ token: z.string().min(1).max(200), newPassword: Password });
export type ResetPassword = z.infer<typeof ResetPassword>;

/**
 * `account` is for a person without an account; others sign in first and omit it. With a link that proves the address
 * it also takes over an unverified account of that address.
 */
export const AcceptInvitation = InvitationToken.extend({
  account: z
    .strictObject({ name: nameUpTo(100), password: Password })
    .optional()
    .describe(
      "For a person without an account, or whose address was not proven before. Others sign in first and omit it",
    ),
});
export type AcceptInvitation = z.infer<typeof AcceptInvitation>;
