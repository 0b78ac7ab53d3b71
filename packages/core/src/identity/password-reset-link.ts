import type { Clock } from "@querybell/domain";
import type { Deployment } from "../deps.ts";
import type { Mail } from "../mail.ts";
import { hashToken } from "./secret-token.ts";

const validForMs = 60 * 60_000;

export const passwordResetExpiry = (clock: Clock): Date => new Date(clock.now().getTime() + validForMs);

/** The stored identifier of a link: a hash of its token, so that a copy of the database gives no access. */
export const resetIdentifier = (token: string): string => hashIdentifier(`reset-password:${token}`);

/** The hash with which better-auth stores verification identifiers. */
export const hashIdentifier = (identifier: string): string =>
  Buffer.from(hashToken(identifier)).toString("base64url");

/** The token is in the fragment, which browsers do not send, so it appears in no server log. */
export const passwordResetUrl = ({ publicUrl }: Pick<Deployment, "publicUrl">, token: string): string =>
  `${publicUrl}/reset-password#${token}`;

export const passwordResetMail = (to: string, url: string): Mail => ({
  to,
  subject: "Set a new password for Querybell",
  text: [
    "Open this link within an hour to set a new password:",
    url,
    "If you did not expect this mail, do nothing: your password stays as it is.",
  ].join("\n\n"),
});
