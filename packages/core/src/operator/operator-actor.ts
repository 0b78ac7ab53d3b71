import type { Tx } from "@querybell/db";
import { AppError } from "@querybell/domain";
import type { Actor } from "../audit/record-audit.ts";

/** The operator as the actor in the organization with this slug. */
export async function getOperatorActor(tx: Tx, slug: string): Promise<Actor> {
  const organization = await tx.organization.findUnique({ where: { slug } });
  if (!organization) throw new AppError("not_found", `There is no organization with the short name ${slug}.`);
  return { organizationId: organization.id, userId: null };
}
