import type { Prisma, Tx } from "@querybell/db";
import type { Caller, OrganizationSettings, UpdateSettings } from "@querybell/domain";
import { type Actor, recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { toSettings } from "./settings-row.ts";

export async function updateSettings(
  deps: Deps,
  caller: Caller,
  input: UpdateSettings,
): Promise<OrganizationSettings> {
  return deps.db.transaction((tx) => changeSettings({ ...deps, tx }, caller, input));
}

type Changes = Partial<
  Pick<Prisma.OrganizationModel, "name" | "webhooksEnabled" | "restCompatibility" | "resultLifetimeSeconds">
>;

/** Writes what differs, and an entry in the audit log for each setting that does. */
export async function changeSettings(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  actor: Actor,
  changes: { [Setting in keyof Changes]: Changes[Setting] | undefined },
): Promise<OrganizationSettings> {
  const id = actor.organizationId;
  await tx.$queryRaw`SELECT 1 FROM organizations WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
  const before = await tx.organization.findUniqueOrThrow({ where: { id } });
  for (const [setting, to] of Object.entries(changes)) {
    const from = before[setting as keyof Changes];
    if (to === undefined || to === from) continue;
    await tx.organization.update({ where: { id }, data: { [setting]: to } });
    await recordAudit({ tx, clock }, actor, {
      action: "settings.changed",
      targetId: id,
      detail: { setting, from, to },
    });
  }
  return toSettings(await tx.organization.findUniqueOrThrow({ where: { id } }));
}
