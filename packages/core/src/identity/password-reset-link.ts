import type { Deployment } from "../deps.ts";
import type { Mail } from "../mail/mail.ts";
import { hashToken } from "./secret-token.ts";

export const passwordResetMinutes = 60;

/** The name under which a link's token is stored: as a hash, so that the database opens no account. */
export const resetIdentifier = (token: string): string => hashIdentifier(`reset-password:${token}`);

/** How better-auth stores whatever it identifies by a secret. */
export const hashIdentifier = (identifier: string): string =>
  Buffer.from(hashToken(identifier)).toString("base64url");

/** After the # a browser sends nothing: the token stays out of every log on the way. */
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
