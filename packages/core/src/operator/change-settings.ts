import type { OrganizationSettings, RestCompatibility } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { changeSettings } from "../organizations/update-settings.ts";
import { operatorIn } from "./find-organization.ts";

interface OperatorSettings {
  slug: string;
  webhooksEnabled?: boolean;
  /** Both directions: an admin of the organization can only retire. */
  restCompatibility?: RestCompatibility;
}

export async function changeSettingsAsOperator(
  deps: Pick<Deps, "db" | "clock">,
  { slug, ...changes }: OperatorSettings,
): Promise<OrganizationSettings> {
  return deps.db.transaction(async (tx) =>
    changeSettings({ ...deps, tx }, await operatorIn(tx, slug), changes),
  );
}
