import type { Deps } from "@querybell/core";
import { createAutomation } from "@querybell/core/automations";
import { createDatabase } from "@querybell/core/databases";
import { createQuery } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import { type Automation, type Caller, CreateAutomation, CreateDatabase } from "@querybell/domain";
import { toPostgresConnection } from "@querybell/testkit/postgres-connection";
import type { z } from "zod";

/** A reference to a query on the installation's own Postgres. */
export async function createSquaresReference(deps: Deps, owner: Caller, url: string): Promise<string> {
  const connection = toPostgresConnection(url);
  const database = await createDatabase(deps, owner, CreateDatabase.parse({ name: "Own", connection }));
  const sql = "SELECT n AS id, n * n AS square FROM generate_series(1, 5) n";
  const query = await createQuery(deps, owner, { sql, analyticalDatabaseConfigId: database.id });
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
