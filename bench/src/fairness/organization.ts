import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createDatabase } from "@querybell/core/databases";
import { createUser } from "@querybell/core/identity";
import { createKey } from "@querybell/core/keys";
import { createQuery } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import { toPostgresConnection } from "@querybell/core/testing/postgres-connection";
import { createEndpoint } from "@querybell/core/webhooks";
import {
  type Caller,
  CreateDatabase,
  type CreateReference,
  CreateWebhookEndpoint,
  newId,
  Scope,
} from "@querybell/domain";
import { createSampleShop } from "@querybell/engines/sample-shop";
import { createBenchAutomation } from "../automations/create-automation.ts";
import type { Installation } from "../webhooks/installation.ts";

const password = randomBytes(16).toString("hex");
const shop = "shop.duckdb";

/** Creates an organization with an owner who can sign in, and with two databases: the installation's Postgres and a DuckDB file. */
export async function addOrganization({ deps, settings }: Installation) {
  const { db, clock } = deps;
  const email = `${newId(clock)}@example.test`;
  const userId = await db.transaction((tx) =>
    createUser({ ...deps, tx }, { name: "Bench", email, password, emailVerified: true }),
  );
  const organizationId = newId(clock);
  const slug = `bench-${organizationId}`;
  const createdAt = clock.now();
  await db.prisma.organization.create({
    data: {
      id: organizationId,
      name: "Bench",
      slug,
      webhooksEnabled: true,
      restCompatibility: "retired",
      createdAt,
      members: { create: { userId, role: "owner", createdAt } },
    },
  });
  const caller: Caller = { userId, organizationId, role: "owner", via: { kind: "session", sessionId: "" } };
  await copyShop(settings.DUCKDB_FOLDER, slug);
  const addDatabase = (connection: object, limits: object = {}) =>
    createDatabase(deps, caller, CreateDatabase.parse({ name: newId(clock), connection, limits }));
  const databases = {
    postgres: await addDatabase(toPostgresConnection(settings.DATABASE_URL)),
    // A short limit, so that endless statements are restarted often.
    duckdb: await addDatabase({ engine: "duckdb", settings: { file: shop } }, { timeMs: 5_000 }),
  };

  return {
    organizationId,
    /** The owner. */
    caller,
    email,
    password,
    async addKey(): Promise<string> {
      return (await createKey(deps, caller, { name: "Bench", scopes: [...Scope.options] })).key;
    },
    async addQuery(
      engine: keyof typeof databases,
      sql: string,
      parameters: CreateReference["parameters"] = [],
    ) {
      const analyticalDatabaseConfigId = databases[engine].id;
      const { id } = await createQuery(deps, caller, { sql, analyticalDatabaseConfigId });
      const { shortId } = await createReference(deps, caller, { queryId: id, title: "Bench", parameters });
      return { id, shortId, analyticalDatabaseConfigId };
    },
    addEndpoint: (url: string) =>
      createEndpoint(
        deps,
        caller,
        CreateWebhookEndpoint.parse({ url, eventTypes: ["automation.run.completed"] }),
      ),
    async addAutomation(shortId: string): Promise<string> {
      return (await createBenchAutomation(deps, caller, { references: [{ shortId }] })).id;
    },
  };
}

/** Creating the sample shop takes seconds, so it is created once and copied. */
async function copyShop(folder: string, slug: string): Promise<void> {
  const made = join(folder, shop);
  await mkdir(folder, { recursive: true });
  if (!existsSync(made)) await createSampleShop(made);
  await copyFile(made, join(folder, `${slug}.${shop}`));
}
