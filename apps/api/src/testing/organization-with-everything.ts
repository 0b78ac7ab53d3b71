import { createInvitation, createKey, createOrganization, type Deps } from "@querybell/core";
import { type Caller, type Person, Scope } from "@querybell/domain";
import { makeWebhooksWithEverything } from "./webhooks-with-everything.ts";

interface Members {
  owner: Person;
  member: Pick<Person, "userId">;
}

/**
 * An organization with an object of every kind, whose every text contains `marker`. A new kind of object
 * belongs in here: the isolation test fails until it is, and then watches over it.
 */
export async function makeOrganizationWithEverything(
  deps: Deps,
  { owner, member }: Members,
  marker: string,
): Promise<Caller> {
  const { organizationId } = await createOrganization(deps, owner, { name: `Organization ${marker}` });
  const via = { kind: "session", sessionId: owner.sessionId } as const;
  const caller: Caller = { userId: owner.userId, organizationId, role: "owner", via };
  await deps.db.prisma.member.create({
    data: { organizationId, userId: member.userId, role: "member", createdAt: deps.clock.now() },
  });
  await createInvitation(deps, caller, { email: `invited-${marker}@example.test`, role: "member" });
  await createKey(deps, caller, { name: `Key ${marker}`, scopes: [...Scope.options] });
  await makeWebhooksWithEverything(deps, caller, marker);
  return caller;
}
