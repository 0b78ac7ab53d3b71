import { api } from "../api.ts";
import { announceSessionChange } from "./session-changes.ts";

/** Switches the session to another organization and loads a new page, so that no data of the previous one stays in memory. */
export async function switchOrganization(organizationId: string, href = "/"): Promise<void> {
  await api.me.switchOrganization.mutate({ organizationId });
  announceSessionChange();
  location.assign(href);
}
