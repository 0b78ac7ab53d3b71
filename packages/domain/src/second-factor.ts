import { z } from "zod";
import { Id } from "./ids.ts";
import { nameUpTo } from "./text.ts";
import { Timestamp } from "./time.ts";

/** For whom an organization demands a second factor. */
export const SecondFactorFor = z.enum(["nobody", "admins", "everybody"]);
export type SecondFactorFor = z.infer<typeof SecondFactorFor>;

/** An organization that a session does not open, and what is missing. */
export const BlockedOrganization = z.object({
  organizationId: Id,
  by: z.enum(["second_factor", "single_sign_on", "other_organization"]),
});
export type BlockedOrganization = z.infer<typeof BlockedOrganization>;

/** How long a presented second factor allows dangerous acts. */
export const confirmedForMs = 10 * 60_000;

export const Passkey = z.object({
  id: Id,
  name: z.string(),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
});
export type Passkey = z.infer<typeof Passkey>;

/** The second factors of the signed-in person. */
export const SecondFactor = z.object({
  totpSince: Timestamp.nullable().describe("Since when codes of an app are asked for; null if they are not"),
  passkeys: z.array(Passkey),
  recoveryCodesLeft: z.int(),
  canUsePasskeys: z
    .boolean()
    .describe(
      "Whether browsers allow passkeys at the address of this deployment: over https, at a host name",
    ),
  asksForPassword: z
    .boolean()
    .describe("Whether the first factor is set up with the current password, which proves who sets it up"),
  reset: z
    .object({ effectiveAt: Timestamp, requestedBy: z.string() })
    .nullable()
    .describe("Set if an admin has asked to remove the factors: when that happens"),
});
export type SecondFactor = z.infer<typeof SecondFactor>;

const CurrentPassword = z
  .string()
  .max(128, "must have at most 128 characters")
  .optional()
  .describe("Needed for the first factor of an account with a password");

export const SetUpFactor = z.strictObject({ currentPassword: CurrentPassword });
export type SetUpFactor = z.infer<typeof SetUpFactor>;

/** A secret for an app that makes codes. It is shown only here. */
export const TotpSecret = z.object({
  secret: z.string().describe("In base32"),
  uri: z.string().describe("`otpauth://…`, for a QR code"),
});
export type TotpSecret = z.infer<typeof TotpSecret>;

const TotpCode = z
  .string()
  .regex(/^\d{6}$/, "must have six digits")
  .meta({ examples: ["123456"] });

export const FinishTotp = z.strictObject({ code: TotpCode });
export type FinishTotp = z.infer<typeof FinishTotp>;

/** Codes that each replace the second factor once. They are shown only here. */
export const RecoveryCodes = z.object({ codes: z.array(z.string()) });
export type RecoveryCodes = z.infer<typeof RecoveryCodes>;

const Base64Url = z.string().min(1).max(20_000);

/** What browsers get and return is defined by WebAuthn. The fields that we read are checked where they are read. */
export const PasskeyOptions = z.object({ options: z.record(z.string(), z.json()) });
export type PasskeyOptions = z.infer<typeof PasskeyOptions>;

const clientResults = z.record(z.string(), z.json()).default({});

export const NewPasskey = z.strictObject({
  name: nameUpTo(100),
  credential: z.object({
    id: Base64Url,
    rawId: Base64Url,
    type: z.literal("public-key"),
    response: z.object({
      clientDataJSON: Base64Url,
      attestationObject: Base64Url,
      transports: z.array(z.string().max(20)).max(10).optional(),
    }),
    clientExtensionResults: clientResults,
  }),
});
export type NewPasskey = z.infer<typeof NewPasskey>;

/** The answer of a passkey to a challenge. */
export const PasskeyAnswer = z.object({
  id: Base64Url,
  rawId: Base64Url,
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: Base64Url,
    authenticatorData: Base64Url,
    signature: Base64Url,
    userHandle: Base64Url.nullish().transform((handle) => handle ?? undefined),
  }),
  clientExtensionResults: clientResults,
});
export type PasskeyAnswer = z.infer<typeof PasskeyAnswer>;

export const RemovePasskey = z.strictObject({ id: Id });
export type RemovePasskey = z.infer<typeof RemovePasskey>;

/** A second factor other than a passkey: a code of the app, or a recovery code. */
export const FactorCode = z.strictObject({
  code: z.string().min(1).max(40).describe("A code of the app, or a recovery code"),
});
export type FactorCode = z.infer<typeof FactorCode>;

export const ConfirmWithPasskey = z.strictObject({ credential: PasskeyAnswer });
export type ConfirmWithPasskey = z.infer<typeof ConfirmWithPasskey>;

export const RequestFactorReset = z.strictObject({ userId: Id });
export type RequestFactorReset = z.infer<typeof RequestFactorReset>;

export const FactorReset = z.object({
  effectiveAt: Timestamp.describe("From then on the person signs in without the factors that they have now"),
});
export type FactorReset = z.infer<typeof FactorReset>;
