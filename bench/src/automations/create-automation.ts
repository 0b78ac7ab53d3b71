import type { Deps } from "@querybell/core";
import { createAutomation } from "@querybell/core/automations";
import { createDatabase } from "@querybell/core/databases";
import { createQuery } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import { toPostgresConnection } from "@querybell/core/testing/postgres-connection";
import { type Automation, type Caller, CreateAutomation, CreateDatabase } from "@querybell/domain";
import type { z } from "zod";

/** A reference to a query on the installation's own Postgres. */
export const createSquaresReference = async (deps: Deps, owner: Caller, url: string): Promise<string> =>
  createSquares(deps, owner, await createOwnDatabase(deps, owner, url));

/** The installation's own Postgres, as a database to query. */
export async function createOwnDatabase(deps: Deps, owner: Caller, url: string): Promise<string> {
  const connection = toPostgresConnection(url);
  return (await createDatabase(deps, owner, CreateDatabase.parse({ name: "Own", connection }))).id;
}

/** A new query, and a reference to it. */
export async function createSquares(deps: Deps, owner: Caller, databaseId: string): Promise<string> {
  const sql = "SELECT n AS id, n * n AS square FROM generate_series(1, 5) n";
  const query = await createQuery(deps, owner, { sql, analyticalDatabaseConfigId: databaseId });
  return (await createReference(deps, owner, { queryId: query.id, title: "Squares" })).shortId;
}

export const createBenchAutomation = (
  deps: Deps,
  owner: Caller,
  settings: Pick<z.input<typeof CreateAutomation>, "references"> & Partial<z.input<typeof CreateAutomation>>,
): Promise<Automation> =>
  createAutomation(
    deps,
    owner,
    CreateAutomation.parse({ name: "Bench", instruction: "Look at the squares.", ...settings }),
  );
