import type { Prisma, Tx } from "@querybell/db";
import {
  type AnalyticalDatabase,
  AppError,
  type Caller,
  type CreateDatabase,
  type DatabaseId,
  newId,
  type SavedDatabase,
  type UpdateDatabase,
} from "@querybell/domain";
import type { WaitOptions } from "@querybell/engine-hosts";
import { engineOf } from "@querybell/engines";
import { type Actor, recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { requestCancel } from "../runs/cancel-run.ts";
import { sealCredentials } from "./connections.ts";
import { getChangeableRow, toDatabase } from "./get-database.ts";
import { checkLimits } from "./limits.ts";
import { testDatabase } from "./probe-database.ts";

/** Creates a database, connects to it once, and returns the warnings of the connection. */
export async function saveNewDatabase(
  deps: Deps,
  caller: Caller,
  { signal, ...input }: CreateDatabase & WaitOptions,
): Promise<SavedDatabase> {
  const database = await createDatabase(deps, caller, input);
  return { ...database, warnings: await findWarnings(deps, caller, { id: database.id, signal }) };
}

/** Updates a database. Connects only if the connection has changed. */
export async function saveChangedDatabase(
  deps: Deps,
  caller: Caller,
  { signal, ...input }: UpdateDatabase & WaitOptions,
): Promise<SavedDatabase> {
  const database = await updateDatabase(deps, caller, input);
  const { id, connection } = input;
  return { ...database, warnings: connection ? await findWarnings(deps, caller, { id, signal }) : [] };
}

/** A failed connection is only a warning: a database may be configured before it can be reached. */
async function findWarnings(
  deps: Deps,
  caller: Caller,
  target: { id: string } & WaitOptions,
): Promise<string[]> {
  try {
    return (await testDatabase(deps, caller, target)).warnings;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [
      "The database is saved, but could not be connected to. Test the connection to see what to check.",
    ];
  }
}

export async function createDatabase(
  deps: Deps,
  caller: Caller,
  input: CreateDatabase,
): Promise<AnalyticalDatabase> {
  const database = await deps.db.transaction((tx) => insertDatabase({ ...deps, tx }, caller, input));
  deps.rights.forget(caller);
  return database;
}

export async function insertDatabase(
  { tx, clock, sealer, deployment }: { tx: Tx } & Pick<Deps, "clock" | "sealer" | "deployment">,
  actor: Actor,
  { name, connection, limits }: CreateDatabase,
): Promise<AnalyticalDatabase> {
  const { organizationId } = actor;
  const id = newId(clock);
  const now = clock.now();
  const { newAccess } = await tx.organization.findUniqueOrThrow({ where: { id: organizationId } });
  const row = await tx.analyticalDatabaseConfig.create({
    data: {
      id,
      organizationId,
      name,
      hasOwnRights: newAccess === "nobody",
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

async function updateDatabase(
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
 * to their server.
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

/**
 * Soft delete, but the credentials are erased. Queries of this database remain. Their runs fail with
 * `database_deleted`: running ones are cancelled, waiting and later ones never start.
 */
export async function deleteDatabase(deps: Deps, caller: Caller, { id }: DatabaseId): Promise<void> {
  const { db, clock } = deps;
  await db.transaction(async (tx) => {
    const { name } = await getChangeableRow(tx, caller, id);
    const deletedAt = clock.now();
    await tx.analyticalDatabaseConfig.update({ where: { id }, data: { deletedAt, sealedCredentials: null } });
    await tx.tableDescription.deleteMany({ where: { databaseId: id } });
    await cancelRunning({ tx, clock }, id);
    await recordAudit({ tx, clock }, caller, { action: "database.deleted", targetId: id, detail: { name } });
  });
  // Runs that started before the commit, and too late to be found above.
  await db.transaction((tx) => cancelRunning({ tx, clock }, id));
}

async function cancelRunning(deps: { tx: Tx } & Pick<Deps, "clock">, databaseId: string): Promise<void> {
  const running = await deps.tx.queryRun.findMany({
    where: { status: "running", query: { analyticalDatabaseConfigId: databaseId } },
    select: { id: true },
  });
  await requestCancel(
    deps,
    running.map(({ id }) => id),
  );
}
