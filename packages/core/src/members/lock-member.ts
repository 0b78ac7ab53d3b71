import type { Tx } from "@querybell/db";
import { AppError, type Caller, type Role } from "@querybell/domain";

/** Gets the member's role and locks the membership until the transaction ends. */
export async function lockMember(
  tx: Tx,
  { organizationId }: Pick<Caller, "organizationId">,
  userId: string,
): Promise<Role> {
  const [member] = await tx.$queryRaw<{ role: Role }[]>`
    SELECT role FROM members
    WHERE organization_id = ${organizationId}::uuid AND user_id = ${userId}::uuid FOR UPDATE`;
  if (!member) throw new AppError("not_found", "There is no such member in this organization.");
  return member.role;
}

/** Throws unless the caller is an owner, if one of the roles is `owner`. Admins manage only admins and members. */
export function requireOwner(caller: Caller, ...roles: Role[]): void {
  if (roles.includes("owner") && caller.role !== "owner") {
    throw new AppError("forbidden", "Only an owner can do this to an owner, or make somebody one.");
  }
}
