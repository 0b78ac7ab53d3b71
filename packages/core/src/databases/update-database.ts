import type { Prisma } from "@querybell/db";
import { type AnalyticalDatabase, AppError, type Caller, type UpdateDatabase } from "@querybell/domain";
import { engineOf } from "@querybell/engines";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { sealCredentials } from "./credentials.ts";
import { toDatabase } from "./database-row.ts";
import { getChangeableRow } from "./get-database.ts";
import { checkLimits } from "./limits.ts";

export async function updateDatabase(
  deps: Deps,
  caller: Caller,
  { id, name, connection, limits }: UpdateDatabase,
): Promise<AnalyticalDatabase> {
  const { clock } = deps;
  return deps.db.transaction(async (tx) => {
    const before = await getChangeableRow(tx, caller, id);
    if (connection) checkPasswordGiven(before, connection);
    const credentials = connection && "credentials" in connection ? connection.credentials : undefined;
    const row = await tx.analyticalDatabaseConfig.update({
      where: { id },
      data: {
        ...(name !== undefined && { name }),
        ...(connection && { settings: connection.settings }),
        ...(credentials && { sealedCredentials: sealCredentials(deps, before, credentials) }),
        ...(limits && { limits: checkLimits(deps.deployment, limits) }),
        updatedAt: clock.now(),
      },
    });
    const changed = Object.entries({ name, connection, credentials, limits });
    await recordAudit({ tx, clock }, caller, {
      action: "database.changed",
      targetId: id,
      detail: {
        name: row.name,
        changed: changed.filter(([, value]) => value !== undefined).map(([field]) => field),
      },
    });
    return toDatabase(row);
  });
}

/**
 * A change of the server or user requires the password again. Otherwise an admin could have the stored password sent
 * to a server of their own.
 */
function checkPasswordGiven(
  before: Prisma.AnalyticalDatabaseConfigModel,
  connection: NonNullable<UpdateDatabase["connection"]>,
): void {
  if (connection.engine !== before.engine) {
    throw new AppError("invalid_request", "A database keeps its engine. Create another database instead.", {
      errors: [{ path: "connection.engine", message: `must stay ${before.engine}` }],
    });
  }
  const { credentialsName } = engineOf(connection.engine);
  if (!credentialsName || ("credentials" in connection && connection.credentials)) return;
  const [old, changed] = [toDatabase(before).connection.settings, connection.settings];
  const isSameServer =
    "host" in old &&
    "host" in changed &&
    (["host", "port", "user", "tls", "tlsCertificateAuthority"] as const).every(
      (setting) => old[setting] === changed[setting],
    );
  if (!isSameServer) {
    const problem = `Send the ${credentialsName} too: the server, its user or its TLS changes.`;
    throw new AppError("invalid_request", problem, {
      errors: [{ path: "connection.credentials", message: "is required here" }],
    });
  }
}
