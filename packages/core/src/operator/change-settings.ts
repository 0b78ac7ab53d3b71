import type { OrganizationSettings, RestCompatibility } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { changeSettings, toSunset } from "../organizations/update-settings.ts";
import { getOperatorActor } from "./operator-actor.ts";

interface OperatorSettings {
  slug: string;
  webhooksEnabled?: boolean;
  /** Both directions: an admin of the organization can only retire. */
  restCompatibility?: RestCompatibility;
  /** With `live`: until then. Absent, they are live without an end. */
  restSunsetAt?: string | undefined;
}

export async function changeSettingsAsOperator(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { slug, restSunsetAt, ...changes }: OperatorSettings,
): Promise<OrganizationSettings> {
  const sunset = changes.restCompatibility === "live" && {
    restSunsetAt: toSunset(restSunsetAt ?? null, clock),
  };
  return db.transaction(async (tx) =>
    changeSettings({ tx, clock }, await getOperatorActor(tx, slug), { ...changes, ...sunset }),
  );
}
