import { AppError, type SharedLink } from "@querybell/domain";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { insertPasswordResetLink } from "../members/create-password-reset-link.ts";

/**
 * For people whom no admin can help: members of several organizations, the last owner, and owners of an address that
 * somebody else has registered. The operator is trusted to give the link to the right person, so it proves the address.
 */
export async function createPasswordResetLinkAsOperator(
  deps: Pick<Deps, "db" | "clock" | "sealer" | "deployment">,
  { email }: { email: string },
): Promise<SharedLink> {
  return deps.db.transaction(async (tx) => {
    const user = await tx.user.findUnique({
      where: { email: email.toLowerCase() },
      include: { memberships: true },
    });
    if (!user) throw new AppError("not_found", `Nobody has an account with the address ${email}.`);
    for (const { organizationId } of user.memberships) {
      await recordAudit(
        { ...deps, tx },
        { organizationId, userId: null },
        {
          action: "member.password_reset_link_created",
          targetId: user.id,
        },
      );
    }
    return insertPasswordResetLink({ ...deps, tx }, { userId: user.id, provesAddress: true });
  });
}
