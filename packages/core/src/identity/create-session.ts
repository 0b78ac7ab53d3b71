import { createHmac } from "node:crypto";
import type { Tx } from "@querybell/db";
import { newId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import type { Client } from "./client.ts";
import { newSecretToken } from "./secret-token.ts";

export const sessionLifetimeSeconds = 7 * 24 * 60 * 60;

interface NewSession {
  userId: string;
  client: Client;
  /** Set if the second factor was presented. */
  secondFactorAt?: Date;
}

/**
 * Inserts a session in our transaction and returns its cookie, in the format that better-auth reads and renews. The token
 * is always new: a cookie that the browser had before is never used.
 */
export async function createSession(
  { tx, clock, auth }: { tx: Tx } & Pick<Deps, "clock" | "auth">,
  { userId, client, secondFactorAt }: NewSession,
): Promise<{ sessionId: string; cookie: string }> {
  const now = clock.now();
  const { id, token } = await tx.session.create({
    data: {
      id: newId(clock),
      userId,
      token: newSecretToken(),
      // By the machine's clock, which better-auth reads.
      expiresAt: new Date(Date.now() + sessionLifetimeSeconds * 1000),
      ipAddress: client.address,
      userAgent: client.userAgent,
      ...(secondFactorAt && { secondFactorAt }),
      createdAt: now,
      updatedAt: now,
    },
  });
  return { sessionId: id, cookie: await sessionCookie(auth, token) };
}

async function sessionCookie(auth: Deps["auth"], token: string): Promise<string> {
  const { authCookies, secret } = await auth.$context;
  const { name, attributes } = authCookies.sessionToken;
  const signature = createHmac("sha256", secret).update(token).digest("base64");
  return [
    `${name}=${encodeURIComponent(`${token}.${signature}`)}`,
    `Max-Age=${sessionLifetimeSeconds}`,
    "Path=/",
    "HttpOnly",
    ...(attributes.secure ? ["Secure"] : []),
    "SameSite=Lax",
  ].join("; ");
}
