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
  /** Set for a session of an organization's provider. */
  identityProviderId?: string;
  onlyOrganizationId?: string;
  /** Where the browser signs out at the provider. */
  signOutUrl?: string | null;
}

const signOutPurpose = (sessionId: string) => `sign-out address of session ${sessionId}`;

/**
 * Inserts a session in our transaction and returns its cookie, in the format that better-auth reads and renews. The token
 * is always new: a cookie that the browser had before is never used.
 */
export async function createSession(
  { tx, clock, auth, sealer }: { tx: Tx } & Pick<Deps, "clock" | "auth" | "sealer">,
  { userId, client, signOutUrl, ...session }: NewSession,
): Promise<{ sessionId: string; cookie: string }> {
  const now = clock.now();
  const id = newId(clock);
  const { token } = await tx.session.create({
    data: {
      id,
      ...session,
      activeOrganizationId: session.onlyOrganizationId ?? null,
      sealedSignOutUrl: signOutUrl ? sealer.seal(signOutPurpose(id), Buffer.from(signOutUrl)) : null,
      userId,
      token: newSecretToken(),
      // By the machine's clock, which better-auth reads.
      expiresAt: new Date(Date.now() + sessionLifetimeSeconds * 1000),
      ipAddress: client.address,
      userAgent: client.userAgent,
      createdAt: now,
      updatedAt: now,
    },
  });
  return { sessionId: id, cookie: await sessionCookie(auth, token) };
}

/** Where the browser signs out at the provider that the session came from. Null if there is no such address. */
export async function findSignOutUrl(
  { db, sealer }: Pick<Deps, "db" | "sealer">,
  { sessionId }: { sessionId: string },
): Promise<string | null> {
  const session = await db.prisma.session.findUnique({ where: { id: sessionId } });
  const sealed = session?.sealedSignOutUrl;
  return sealed ? Buffer.from(sealer.open(signOutPurpose(sessionId), sealed)).toString() : null;
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
