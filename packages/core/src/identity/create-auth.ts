import type { Database } from "@querybell/db";
import { type Clock, newId, Password } from "@querybell/domain";
import type { Sealer } from "@querybell/sealing";
import { prismaAdapter } from "better-auth/adapters/prisma";
import { isAPIError } from "better-auth/api";
import { betterAuth } from "better-auth/minimal";
import type { Deployment } from "../deps.ts";
import { queueMail } from "../mail.ts";
import { clientAddressHeader } from "./client.ts";
import { sessionLifetimeSeconds } from "./create-session.ts";
import {
  hashIdentifier,
  passwordResetExpiry,
  passwordResetMail,
  passwordResetUrl,
  resetIdentifier,
} from "./password-reset-link.ts";

interface AuthOptions {
  db: Database;
  clock: Clock;
  sealer: Sealer;
  deployment: Deployment;
  secret: string;
  onError: (error: unknown) => void;
}

export type Auth = ReturnType<typeof createAuth>;

/**
 * better-auth hashes passwords, reads and renews sessions, and ends them. Signing in, organizations, members, invitations
 * and keys are our own use cases, because each change must commit together with what belongs to it.
 */
export function createAuth({ db, clock, sealer, deployment, secret, onError }: AuthOptions) {
  return betterAuth({
    appName: "Querybell",
    baseURL: deployment.publicUrl,
    basePath: "/api/auth",
    secret,
    database: prismaAdapter(db.prisma, { provider: "postgresql", transaction: true }),
    trustedOrigins: [new URL(deployment.publicUrl).origin],
    emailAndPassword: {
      enabled: true,
      // Users are created by accepting an invitation, or by the operator.
      disableSignUp: true,
      minPasswordLength: Password.minLength ?? 0,
      maxPasswordLength: Password.maxLength ?? Number.POSITIVE_INFINITY,
      sendResetPassword: async ({ user, token }) => {
        const mail = passwordResetMail(user.email, passwordResetUrl(deployment, token));
        await db.transaction(async (tx) => {
          // Nobody but the owner of the address gets this link. It expires by our clock, as the others do.
          await tx.verification.updateMany({
            where: { identifier: resetIdentifier(token) },
            data: { provesAddress: true, expiresAt: passwordResetExpiry(clock) },
          });
          await queueMail({ tx, sealer, deployment }, user.id, mail);
        });
      },
    },
    verification: { storeIdentifier: { hash: async (identifier) => hashIdentifier(identifier) } },
    session: {
      expiresIn: sessionLifetimeSeconds,
      updateAge: 24 * 60 * 60,
      additionalFields: {
        activeOrganizationId: { type: "string", required: false, input: false },
        onlyOrganizationId: { type: "string", required: false, input: false },
      },
    },
    rateLimit: {
      enabled: true,
      window: 60,
      max: 120,
      // The api limits them, for all processes together.
      customRules: { "/request-password-reset": false },
    },
    logger: {
      level: "error",
      log: (_level, message, ...details) =>
        onError(details.find((detail) => detail instanceof Error) ?? new Error(message)),
    },
    // API errors become responses. Other errors are thrown to the caller, which maps them.
    onAPIError: {
      onError: (error) => {
        if (!isAPIError(error)) throw error;
      },
    },
    telemetry: { enabled: false },
    advanced: {
      cookiePrefix: "querybell",
      ipAddress: { ipAddressHeaders: [clientAddressHeader] },
      database: { generateId: () => newId(clock) },
    },
  });
}
