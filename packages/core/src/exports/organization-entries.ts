import { exportDays } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import type { TarEntry } from "./tar.ts";
import { toEntry, toJsonEntry } from "./text-entries.ts";

/** The settings, people, folders, groups, rights, databases, keys and endpoints, without secrets. */
export async function* organizationEntries(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { organizationId }: { organizationId: string },
): AsyncGenerator<TarEntry> {
  const now = clock.now();
  const { prisma } = db;
  const where = { organizationId };
  const organization = await prisma.organization.findUniqueOrThrow({ where: { id: organizationId } });
  const text = readme(organization.name, now);
  yield toEntry("README.md", text, now);
  yield toJsonEntry("organization.json", organization, now);
  const members = await prisma.member.findMany({
    where,
    include: { user: true },
    orderBy: { createdAt: "asc" },
  });
  const people = members.map(({ userId, role, createdAt, user: { name, email } }) => ({
    ...{ userId, name, email, role, joinedAt: createdAt },
  }));
  yield toJsonEntry("members.json", people, now);
  const folders = await prisma.folder.findMany({
    where,
    select: { id: true, parentId: true, name: true, createdBy: true, createdAt: true, updatedAt: true },
  });
  yield toJsonEntry("folders.json", folders, now);
  const groups = await prisma.group.findMany({
    where,
    select: { id: true, name: true, createdAt: true, members: { select: { userId: true } } },
  });
  yield toJsonEntry("groups.json", groups, now);
  const grants = await prisma.accessGrant.findMany({
    where,
    select: { folderId: true, databaseId: true, groupId: true, userId: true, level: true },
  });
  yield toJsonEntry("access.json", grants, now);
  // Fields are named, so that a new column with a secret is never exported by accident.
  const databases = await prisma.analyticalDatabaseConfig.findMany({
    where: { ...where, deletedAt: null },
    select: {
      ...{ id: true, name: true, engine: true, settings: true, limits: true, holdsUploads: true },
      descriptions: {
        select: { schemaName: true, tableName: true, columnName: true, description: true, updatedAt: true },
      },
    },
  });
  yield toJsonEntry("databases.json", databases, now);
  const keys = await prisma.apiKey.findMany({
    where: { ...where, clientId: null, revokedAt: null },
    select: { id: true, userId: true, name: true, scopes: true, createdAt: true, expiresAt: true },
  });
  yield toJsonEntry("api-keys.json", keys, now);
  const programs = await prisma.apiKey.findMany({
    where: { ...where, clientId: { not: null }, revokedAt: null },
    select: {
      ...{ id: true, userId: true, name: true, clientHost: true, scopes: true },
      ...{ createdAt: true, expiresAt: true },
    },
  });
  yield toJsonEntry("connected-programs.json", programs, now);
  const embeddingKeys = await prisma.embeddingKey.findMany({
    where,
    select: {
      ...{ id: true, name: true, publicKey: true, serviceAccountId: true, origins: true, cacheMinutes: true },
      ...{ createdBy: true, createdAt: true, lastUsedAt: true },
    },
    orderBy: { createdAt: "asc" },
  });
  yield toJsonEntry("embedding-keys.json", embeddingKeys, now);
  const endpoints = await prisma.webhookEndpoint.findMany({
    where: { ...where, kind: "webhook", state: { not: "deleted" } },
    select: {
      ...{
        id: true,
        url: true,
        description: true,
        eventTypes: true,
        filter: true,
        standardWebhooks: true,
        state: true,
      },
      ...{ maxInFlight: true, maxPerSecond: true, createdBy: true, createdAt: true, updatedAt: true },
    },
  });
  yield toJsonEntry("webhook-endpoints.json", endpoints, now);
  const destinations = await prisma.webhookEndpoint.findMany({
    where: { ...where, kind: { notIn: ["webhook", "mcp"] }, state: { not: "deleted" } },
    select: {
      ...{ id: true, kind: true, description: true, state: true },
      ...{ createdBy: true, createdAt: true, updatedAt: true },
    },
  });
  yield toJsonEntry("destinations.json", destinations, now);
}

const readme = (name: string, now: Date): string => `# Everything of ${name}

Made on ${now.toISOString()}. The file could be downloaded for ${exportDays} days.

| file | what is in it |
|---|---|
| organization.json, members.json, folders.json | the settings, the people with their roles, the tree of folders |
| databases.json | the databases with the descriptions of their tables, without credentials |
| queries/*.sql, queries/*.json | each statement; its name, folder, parameters, results and earlier versions |
| charts/*.json | the charts |
| dashboards/*.json | the dashboards with their earlier versions |
| automations/*.json, automation-runs.jsonl | the automations; what their runs reported |
| results/*.parquet | the stored results. One that Parquet cannot hold is there as JSON |
| uploads.duckdb | the tables made of uploaded files, if there are any. DuckDB opens it |
| api-keys.json, connected-programs.json, webhook-endpoints.json, destinations.json | names and settings, without keys, secrets, custom headers and the addresses of destinations |
| embedding-keys.json | the public keys of applications that show frames, with their sites |
| audit-log.jsonl | the audit log, newest first |

Ids connect the files: the \`folderId\` of a query is an \`id\` of folders.json, \`createdBy\` is a \`userId\` of members.json.
`;
