import type { Prisma, Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type Clock,
  isRestRetired,
  type OrganizationSettings,
  type UpdateSettings,
} from "@querybell/domain";
import { type Actor, recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { changeHistoryDays } from "../past-results/thin-results.ts";

export async function getSettings(
  { db, clock }: Deps,
  { organizationId }: Caller,
): Promise<OrganizationSettings> {
  return toSettings(await db.prisma.organization.findUniqueOrThrow({ where: { id: organizationId } }), clock);
}

export async function updateSettings(
  { db, clock }: Deps,
  caller: Caller,
  { restSunsetAt, ...input }: UpdateSettings,
): Promise<OrganizationSettings> {
  return db.transaction(async (tx) => {
    if (restSunsetAt === undefined) return changeSettings({ tx, clock }, caller, input);
    if (isRestRetired(await lockOrganization(tx, caller), clock.now())) {
      throw new AppError(
        "conflict",
        "The REST routes are retired. Going back to live is a command of this deployment's operator.",
      );
    }
    return changeSettings({ tx, clock }, caller, { ...input, restSunsetAt: toSunset(restSunsetAt, clock) });
  });
}

/** Parses a sunset date. Throws if it is not in the future. */
export function toSunset(text: string | null, clock: Deps["clock"]): Date | null {
  const at = text === null ? null : new Date(text);
  if (at && at <= clock.now()) {
    const errors = [{ path: "restSunsetAt", message: "must be in the future" }];
    throw new AppError("invalid_request", "The sunset must be in the future. To retire now, say retired.", {
      errors,
    });
  }
  return at;
}

type Setting =
  | "name"
  | "webhooksEnabled"
  | "restCompatibility"
  | "restSunsetAt"
  | "resultLifetimeSeconds"
  | "expiredResultDays"
  | "historyDays"
  | "uploadsBy"
  | "helpSeesRows"
  | "keysRunSql"
  | "newAccess"
  | "secondFactorFor"
  | "publicLinks"
  | "embedding";
type Changes = Partial<Pick<Prisma.OrganizationModel, Setting>>;

/** Writes the settings that differ, with one audit log entry for each. */
export async function changeSettings(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  actor: Actor,
  changes: { [Name in keyof Changes]: Changes[Name] | undefined },
): Promise<OrganizationSettings> {
  const id = actor.organizationId;
  const before = await lockOrganization(tx, actor);
  for (const [setting, to] of Object.entries(changes)) {
    if (to === undefined) continue;
    const logged = { from: asText(before[setting as Setting]), to: asText(to) };
    if (logged.from === logged.to) continue;
    await tx.organization.update({ where: { id }, data: { [setting]: to } });
    if (setting === "historyDays") await changeHistoryDays(tx, id, Number(to));
    await recordAudit({ tx, clock }, actor, {
      action: "settings.changed",
      targetId: id,
      detail: { setting, ...logged },
    });
  }
  return toSettings(await tx.organization.findUniqueOrThrow({ where: { id } }), clock);
}

async function lockOrganization(
  tx: Tx,
  { organizationId: id }: Pick<Actor, "organizationId">,
): Promise<Prisma.OrganizationModel> {
  await lockRow(tx, { table: "organizations", key: { id }, strength: "NO KEY UPDATE" });
  return tx.organization.findUniqueOrThrow({ where: { id } });
}

const asText = <Value>(value: Value | Date) => (value instanceof Date ? value.toISOString() : value);

const toSettings = (row: Prisma.OrganizationModel, clock: Clock): OrganizationSettings => ({
  name: row.name,
  slug: row.slug,
  webhooksEnabled: row.webhooksEnabled,
  restCompatibility: isRestRetired(row, clock.now()) ? "retired" : "live",
  restSunsetAt: row.restSunsetAt?.toISOString() ?? null,
  resultLifetimeSeconds: row.resultLifetimeSeconds,
  expiredResultDays: row.expiredResultDays,
  historyDays: row.historyDays,
  uploadsBy: row.uploadsBy,
  helpSeesRows: row.helpSeesRows,
  keysRunSql: row.keysRunSql,
  newAccess: row.newAccess,
  secondFactorFor: row.secondFactorFor,
  publicLinks: row.publicLinks,
  embedding: row.embedding,
  createdAt: row.createdAt.toISOString(),
});
