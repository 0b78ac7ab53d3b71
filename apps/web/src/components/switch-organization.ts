import { api } from "../api.ts";

/** Looks at another organization from now on. A fresh page: nothing of the one before stays in memory. */
export async function switchOrganization(organizationId: string, href = "/"): Promise<void> {
  await api.me.switchOrganization.mutate({ organizationId });
  location.assign(href);
}
