import type { OrganizationSettings, RestCompatibility } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { changeSettings, toSunset } from "../organizations/update-settings.ts";
import { getOperatorActor } from "./operator-actor.ts";

interface OperatorSettings {
  slug: string;
  webhooksEnabled?: boolean;
  /** The operator can also set `live` again. An admin of the organization can only retire. */
  restCompatibility?: RestCompatibility;
  /** With `live`: the date of retirement. Absent: no such date. */
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
