import type { Deps } from "@querybell/core";
import { createAutomation } from "@querybell/core/automations";
import { createDatabase } from "@querybell/core/databases";
import { createUser } from "@querybell/core/identity";
import { createKey } from "@querybell/core/keys";
import { createQuery } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import { createEndpoint } from "@querybell/core/webhooks";
import {
  type Caller,
  CreateAutomation,
  CreateDatabase,
  type CreateReference,
  CreateWebhookEndpoint,
  newId,
  Scope,
} from "@querybell/domain";

const password = "the bench's own password";

/** Somebody who can sign in, with an organization, a key, and the installation's Postgres to query. */
export async function addOrganization(deps: Deps, postgresUrl: string) {
  const { db, clock } = deps;
  const email = `${newId(clock)}@example.test`;
  const userId = await db.transaction((tx) =>
    createUser({ ...deps, tx }, { name: "Bench", email, password, emailVerified: true }),
  );
  const organizationId = newId(clock);
  const createdAt = clock.now();
  await db.prisma.organization.create({
    data: {
      id: organizationId,
      name: "Bench",
      slug: `bench-${organizationId}`,
      webhooksEnabled: true,
      restCompatibility: "retired",
      createdAt,
      members: { create: { userId, role: "owner", createdAt } },
    },
  });
  const caller: Caller = { userId, organizationId, role: "owner", via: { kind: "session", sessionId: "" } };
  const { key } = await createKey(deps, caller, { name: "Bench", scopes: [...Scope.options] });
  const database = await createDatabase(
    deps,
    caller,
    CreateDatabase.parse({ name: "Own", connection: connectionTo(postgresUrl) }),
  );

  const addQuery = async (sql: string, parameters: CreateReference["parameters"] = []) => {
    const { id } = await createQuery(deps, caller, { sql, analyticalDatabaseConfigId: database.id });
    const { shortId } = await createReference(deps, caller, { queryId: id, title: "Bench", parameters });
    return { id, shortId };
  };
  return {
    organizationId,
    caller,
    email,
    password,
    key,
    addQuery,
    addEndpoint: (url: string) =>
      createEndpoint(
        deps,
        caller,
        CreateWebhookEndpoint.parse({ url, eventTypes: ["automation.run.completed"] }),
      ),
    async addAutomation(shortId: string): Promise<string> {
      const words = { name: "Bench", instruction: "Look at it.", references: [{ shortId }] };
      return (await createAutomation(deps, caller, CreateAutomation.parse(words))).id;
    },
  };
}

function connectionTo(url: string) {
  const { hostname, port, pathname, username, password } = new URL(url);
  return {
    engine: "postgres",
    settings: {
      host: hostname,
      port: Number(port),
      database: pathname.slice(1),
      user: decodeURIComponent(username),
      tls: "off",
    },
    credentials: { password: decodeURIComponent(password) },
  };
}
