import type { CreateInvitation, CreateOrganization, SharedLink } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { insertInvitation } from "../invitations/create-invitation.ts";
import { insertOrganization } from "../organizations/create-organization.ts";

/** Creates an organization and an invitation for its first owner. */
export async function createOrganizationAsOperator(
  deps: Pick<Deps, "db" | "clock" | "sealer" | "deployment">,
  { name, email }: CreateOrganization & Pick<CreateInvitation, "email">,
): Promise<{ slug: string; link: SharedLink }> {
  return deps.db.transaction(async (tx) => {
    const { id, slug } = await insertOrganization({ ...deps, tx }, null, { name });
    const actor = { organizationId: id, userId: null };
    const { link } = await insertInvitation({ ...deps, tx }, actor, { email, role: "owner" });
    return { slug, link };
  });
}
