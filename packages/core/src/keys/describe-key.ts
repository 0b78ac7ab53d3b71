import { AppError, type Caller, type PresentedKey, Scope } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** The organization, owner and scopes of the key of the request. */
export async function describeKey(
  { db }: Deps,
  { organizationId }: Caller,
  keyId: string,
): Promise<PresentedKey> {
  const key = await db.prisma.apiKey.findFirst({
    where: { id: keyId, organizationId },
    include: { member: { include: { organization: true, user: true } } },
  });
  if (!key) throw new AppError("unauthorized", "This API key has been revoked.");
  const { organization, user } = key.member;
  return {
    id: key.id,
    name: key.name,
    organization: { id: organization.id, name: organization.name },
    user: { id: user.id, name: user.name, email: user.email },
    scopes: Scope.array().parse(key.scopes),
    expiresAt: key.expiresAt?.toISOString() ?? null,
  };
}
