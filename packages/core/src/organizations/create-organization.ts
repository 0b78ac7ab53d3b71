import type { Tx } from "@querybell/db";
import { AppError, type CreateOrganization, type Membership, newId, type Person } from "@querybell/domain";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { addMember } from "../members/add-member.ts";
import { newSlug } from "./slug.ts";

/** Creates an organization. The person becomes its owner, and it becomes the active organization of the session. */
export async function createOrganization(
  deps: Deps,
  { userId, sessionId }: Person,
  input: CreateOrganization,
): Promise<Membership> {
  if (deps.deployment.organizationCreation !== "anybody") {
    throw new AppError(
      "forbidden",
      "Only the operator of this installation creates organizations. Ask them.",
    );
  }
  return deps.db.transaction(async (tx) => {
    const organization = await insertOrganization({ ...deps, tx }, userId, input);
    await addMember({ ...deps, tx }, { organizationId: organization.id, userId }, "owner");
    await tx.session.update({ where: { id: sessionId }, data: { activeOrganizationId: organization.id } });
    const { id, name, slug } = organization;
    return { organizationId: id, name, slug, role: "owner" };
  });
}

/** The caller must add the first owner, or an invitation for one, in the same transaction. */
export async function insertOrganization(
  { tx, clock, deployment }: { tx: Tx } & Pick<Deps, "clock" | "deployment">,
  actorUserId: string | null,
  { name }: CreateOrganization,
) {
  const organization = await tx.organization.create({
    data: {
      id: newId(clock),
      name,
      slug: newSlug(name),
      restCompatibility: deployment.restCompatibility,
      createdAt: clock.now(),
    },
  });
  await recordAudit(
    { tx, clock },
    { organizationId: organization.id, userId: actorUserId },
    {
      action: "organization.created",
      targetId: organization.id,
      detail: { name },
    },
  );
  return organization;
}
