import { type Caller, type CreateServiceAccount, type Member, newId } from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";

/**
 * Creates a member for programs: an account without a password, whose address nobody can have. It is changed, put into
 * groups and removed like other members.
 */
export async function createServiceAccount(
  { db, clock }: Deps,
  caller: Caller,
  { name, role }: CreateServiceAccount,
): Promise<Member> {
  const { organizationId } = caller;
  const [userId, createdAt] = [newId(clock), clock.now()];
  const email = `${userId}@service.invalid`;
  await db.transaction(async (tx) => {
    await tx.user.create({
      data: {
        id: userId,
        name,
        email,
        emailVerified: true,
        serviceOrganizationId: organizationId,
        createdAt,
        updatedAt: createdAt,
      },
    });
    await tx.member.create({ data: { organizationId, userId, role, createdAt } });
    await recordAudit({ tx, clock }, caller, {
      action: "service_account.created",
      targetId: userId,
      detail: { name, role },
    });
  });
  return {
    userId,
    name,
    email,
    role,
    isService: true,
    hasSecondFactor: false,
    createdAt: createdAt.toISOString(),
  };
}
