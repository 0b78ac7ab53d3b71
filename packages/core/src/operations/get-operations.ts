import { asService } from "@querybell/db";
import { AppError, type Operations, type Person } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { isDeploymentAdmin } from "./deployment-admins.ts";
import { findProblems } from "./find-problems.ts";
import { listProcesses } from "./processes.ts";
import { readQueues } from "./queues.ts";
import { readRecentRuns } from "./recent-runs.ts";

interface OperationsDeps extends Deps {
  /** The version of this process. */
  version: string;
  checkReadiness(deps: Deps): Promise<{ ready: true } | { ready: false; reason: string }>;
}

/** The state of the whole deployment. Only for its admins, whichever organization their session is in. */
export async function getOperations(deps: OperationsDeps, person: Person): Promise<Operations> {
  return asService(async () => {
    const user = await deps.db.prisma.user.findUniqueOrThrow({ where: { id: person.userId } });
    if (!isDeploymentAdmin(deps, person, user)) {
      throw new AppError(
        "forbidden",
        "Only admins of this deployment can open this. Its operator names them in the setting DEPLOYMENT_ADMINS.",
      );
    }
    const [processes, { queues, failedJobs }, recentRuns, backup, database, readiness] = await Promise.all([
      listProcesses(deps),
      readQueues(deps),
      readRecentRuns(deps),
      readBackup(deps),
      readDatabase(deps),
      deps.checkReadiness(deps),
    ]);
    const asOf = deps.clock.now().toISOString();
    const figures = { asOf, version: deps.version, processes, queues, recentRuns, backup, database };
    const notReady = readiness.ready ? null : readiness.reason;
    const hasPublicPages = deps.deployment.publicPagesUrl !== null;
    return { ...figures, problems: findProblems({ ...figures, failedJobs, notReady, hasPublicPages }) };
  });
}

async function readBackup({ db }: Pick<Deps, "db">): Promise<Operations["backup"]> {
  const [newest, checked] = await Promise.all([
    db.prisma.backup.findFirst({ orderBy: { createdAt: "desc" } }),
    db.prisma.backup.findFirst({ where: { checkedAt: { not: null } }, orderBy: { createdAt: "desc" } }),
  ]);
  return {
    createdAt: newest?.createdAt.toISOString() ?? null,
    bytes: newest ? Number(newest.bytes) : null,
    checked: checked?.checkedAt
      ? { createdAt: checked.createdAt.toISOString(), checkedAt: checked.checkedAt.toISOString() }
      : null,
  };
}

interface DatabaseRow {
  serverVersion: string;
  serverStartedAt: Date;
  bytes: number;
  open: number;
  max: number;
  migration: string | null;
  appliedAt: Date | null;
  migrations: number;
}

async function readDatabase({ db }: Pick<Deps, "db">): Promise<Operations["database"]> {
  const { rows } = await db.pool.query<DatabaseRow>({
    name: "read_database_figures",
    text: `
      SELECT split_part(current_setting('server_version'), ' ', 1) AS "serverVersion",
        pg_postmaster_start_time() AS "serverStartedAt", pg_database_size(current_database())::float8 AS bytes,
        (SELECT sum(numbackends) FROM pg_stat_database)::int AS open,
        current_setting('max_connections')::int AS max, m.name AS migration, m.applied_at AS "appliedAt",
        (SELECT count(*) FROM _prisma_migrations WHERE finished_at IS NOT NULL)::int AS migrations
      FROM (VALUES (1)) one LEFT JOIN LATERAL (
        SELECT migration_name AS name, finished_at AS applied_at FROM _prisma_migrations
        WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name DESC LIMIT 1
      ) m ON true`,
  });
  const [row] = rows;
  if (!row) throw new Error("The database did not describe itself.");
  const { serverVersion, serverStartedAt, bytes, open, max, migration, appliedAt, migrations } = row;
  return {
    ...{ serverVersion, bytes, connections: { open, max } },
    serverStartedAt: serverStartedAt.toISOString(),
    migration:
      migration === null || appliedAt === null
        ? null
        : { name: migration, appliedAt: appliedAt.toISOString(), count: migrations },
  };
}
