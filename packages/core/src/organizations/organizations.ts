import { randomBytes } from "node:crypto";
import { asService, type Tx } from "@querybell/db";
import {
  AppError,
  type CreateOrganization,
  defaultExpiredResultDays,
  type Membership,
  newId,
  type Person,
  type SwitchOrganization,
} from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { addMember } from "../members/members.ts";

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
  // The person has no rights in an organization that is being made.
  return asService(() =>
    deps.db.transaction(async (tx) => {
      const organization = await insertOrganization({ ...deps, tx }, userId, input);
      await addMember({ ...deps, tx }, { organizationId: organization.id, userId }, "owner");
      await tx.session.update({ where: { id: sessionId }, data: { activeOrganizationId: organization.id } });
      const { id, name, slug } = organization;
      return { organizationId: id, name, slug, role: "owner" };
    }),
  );
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
      expiredResultDays: defaultExpiredResultDays,
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

/** A readable name for commands and logs: `acme-shop-3f9a2c`. The random suffix makes it unique. */
function newSlug(name: string): string {
  const words = name
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|(?<!-)-+$/g, "")
    .slice(0, 40);
  const suffix = randomBytes(3).toString("hex");
  return words ? `${words}-${suffix}` : `organization-${suffix}`;
}

/** Lists the person's organizations, oldest membership first. */
export async function listMemberships(
  { db }: Deps,
  { userId, onlyOrganizationId }: Pick<Person, "userId" | "onlyOrganizationId">,
): Promise<Membership[]> {
  const memberships = await db.prisma.member.findMany({
    where: { userId, ...(onlyOrganizationId !== undefined && { organizationId: onlyOrganizationId }) },
    include: { organization: true },
    orderBy: [{ createdAt: "asc" }, { organizationId: "asc" }],
  });
  return memberships.map(({ organizationId, organization: { name, slug }, role }) => ({
    organizationId,
    name,
    slug,
    role,
  }));
}

/** Changes the active organization of a session. */
export async function switchOrganization(
  { db }: Deps,
  { userId, sessionId }: Person,
  { organizationId }: SwitchOrganization,
): Promise<void> {
  const { count } = await db.prisma.session.updateMany({
    where: { id: sessionId, user: { memberships: { some: { userId, organizationId } } } },
    data: { activeOrganizationId: organizationId },
  });
  if (count === 0) throw new AppError("not_found", "You do not belong to such an organization.");
}
