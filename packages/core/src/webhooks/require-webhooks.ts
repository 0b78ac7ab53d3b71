import { AppError, type Caller } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** Throws unless the operator has enabled webhooks for the organization. */
export async function requireWebhooks({ db }: Deps, { organizationId }: Caller): Promise<void> {
  const { webhooksEnabled, slug } = await db.prisma.organization.findUniqueOrThrow({
    where: { id: organizationId },
  });
  if (webhooksEnabled) return;
  throw new AppError(
    "webhooks_not_enabled",
    `Webhooks are not enabled for this organization. Ask the operator of this deployment to run: pnpm operator webhooks on --organization ${slug}`,
  );
}
