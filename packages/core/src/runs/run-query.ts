import type { EngineKind } from "@querybell/domain";
import { AppError, type Caller, type Run, type RunQuery } from "@querybell/domain";
import { engineOf } from "@querybell/engines";
import { parseStatement } from "@querybell/statements";
import { databaseDeleted } from "../databases/open-connection.ts";
import type { Deps } from "../deps.ts";
import { queryNotFound } from "../queries/lock-query.ts";
import { triggerOf } from "./insert-run.ts";
import { joinRun } from "./join-run.ts";
import { readValues } from "./parameter-definitions.ts";
import { prepareRun } from "./prepare-run.ts";
import { toRun } from "./run-row.ts";

/** Runs a query with these values, or joins the unfinished run with equal values. */
export async function runQuery(
  deps: Deps,
  caller: Caller,
  { id, shortId, parameterValues: given }: RunQuery,
): Promise<Run> {
  for (;;) {
    const query = await readStatementOf(deps, caller, id);
    const statement = parseStatement(query.sql, engineOf(query.engine).dialect);
    const values = await readValues(deps.db.prisma, statement, { queryId: id, shortId, given });
    const prepared = prepareRun(statement, values, deps.clock);
    const joined = await joinRun(deps, { query, triggerId: triggerOf(caller), ...prepared });
    if (joined?.kind === "joined") return toRun(joined.run);
    if (joined) {
      throw new AppError(
        "query_already_running",
        "The run with these values is being cancelled. Run the query again when it has ended.",
      );
    }
    // The query was edited or deleted after it was read. Nothing was locked until then, so read it again.
  }
}

interface QueryRow {
  id: string;
  sql: string;
  version: number;
  engine: EngineKind;
  isDatabaseDeleted: boolean;
}

async function readStatementOf(
  { db }: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
  id: string,
): Promise<QueryRow> {
  const { rows } = await db.pool.query<QueryRow>({
    name: "read_query_to_run",
    text: `
      SELECT q.id, q.sql, q.version, d.engine, d.deleted_at IS NOT NULL AS "isDatabaseDeleted"
      FROM queries q JOIN analytical_database_configs d
        ON d.organization_id = q.organization_id AND d.id = q.analytical_database_config_id
      WHERE q.id = $1 AND q.organization_id = $2 AND q.deleted_at IS NULL`,
    values: [id, organizationId],
  });
  const [row] = rows;
  if (!row) throw queryNotFound();
  if (row.isDatabaseDeleted) throw databaseDeleted();
  return row;
}
