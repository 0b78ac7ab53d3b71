import type { Tx } from "@querybell/db";
import { AppError, type Caller, type Role } from "@querybell/domain";

/** The member's role, which stays as it is until the transaction ends. */
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

/** Admins manage admins and members; whatever concerns owners is for owners. */
export function requireOwner(caller: Caller, ...concerned: Role[]): void {
  if (concerned.includes("owner") && caller.role !== "owner") {
    throw new AppError("forbidden", "Only an owner can do this to an owner, or make somebody one.");
  }
}
