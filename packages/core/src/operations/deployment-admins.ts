import type { Person } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/**
 * Whether somebody is an admin of the deployment. An unproven address may be registered by somebody else, and a session of
 * an organization's provider shows only who that organization says it is.
 */
export const isDeploymentAdmin = (
  { deployment }: Pick<Deps, "deployment">,
  { onlyOrganizationId }: Person,
  { email, emailVerified }: { email: string; emailVerified: boolean },
): boolean => onlyOrganizationId === undefined && emailVerified && deployment.admins.has(email.toLowerCase());
