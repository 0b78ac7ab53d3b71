import type { Tx } from "@querybell/db";
import { type AnalyticalDatabase, type Caller, type CreateDatabase, newId } from "@querybell/domain";
import { type Actor, recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { sealCredentials } from "./credentials.ts";
import { toDatabase } from "./database-row.ts";
import { checkLimits } from "./limits.ts";

export async function createDatabase(
  deps: Deps,
  caller: Caller,
  input: CreateDatabase,
): Promise<AnalyticalDatabase> {
  return deps.db.transaction((tx) => insertDatabase({ ...deps, tx }, caller, input));
}

export async function insertDatabase(
  { tx, clock, sealer, deployment }: { tx: Tx } & Pick<Deps, "clock" | "sealer" | "deployment">,
  actor: Actor,
  { name, connection, limits }: CreateDatabase,
): Promise<AnalyticalDatabase> {
  const { organizationId } = actor;
  const id = newId(clock);
  const now = clock.now();
  const row = await tx.analyticalDatabaseConfig.create({
    data: {
      id,
      organizationId,
      name,
      engine: connection.engine,
      settings: connection.settings,
      sealedCredentials:
        "credentials" in connection
          ? sealCredentials({ sealer }, { organizationId, id }, connection.credentials)
          : null,
      limits: checkLimits(deployment, limits),
      createdAt: now,
      updatedAt: now,
    },
  });
  await recordAudit({ tx, clock }, actor, {
    action: "database.created",
    targetId: id,
    detail: { name, engine: connection.engine },
  });
  return toDatabase(row);
}
