import { AppError, type Caller, PresentedKey } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** Which organization, person and scopes the presented key stands for. */
export async function describeKey({ db }: Deps, { organizationId, via }: Caller): Promise<PresentedKey> {
  if (via.kind !== "key") {
    throw new AppError("unauthorized", "Send an API key in the header Authorization: Bearer <key>.");
  }
  const key = await db.prisma.apiKey.findFirst({
    where: { id: via.keyId, organizationId },
    include: { member: { include: { organization: true, user: true } } },
  });
  if (!key) throw new AppError("unauthorized", "This API key has been revoked.");
  const { organization, user } = key.member;
  return PresentedKey.parse({ ...key, organization, user, expiresAt: key.expiresAt?.toISOString() ?? null });
}
