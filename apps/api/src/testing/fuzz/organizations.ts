import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Deps } from "@querybell/core";
import { createDatabase } from "@querybell/core/databases";
import { createKey } from "@querybell/core/keys";
import { createQuery } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import { runQuery } from "@querybell/core/runs";
import { type Caller, CreateDatabase, Scope } from "@querybell/domain";
import { type Factories, testPassword } from "@querybell/testkit";
import { z } from "zod";
import { makeOrganizationWithEverything } from "../organization-with-everything.ts";
import { idsIn, rowsOfOrganization } from "../rows-of-organization.ts";
import { execute } from "../run-states.ts";
import { sendUpload } from "../send-upload.ts";
import type { IdsByKind } from "./symbols.ts";

interface Surroundings {
  deps: Deps;
  make: Factories;
  duckdbFolder: string;
}

const Row = z.looseObject({ id: z.coerce.string().optional(), short_id: z.string().optional() });

/** The ids of an organization's rows by table, and what else identifies its objects. */
export async function readIds(deps: Deps, organizationId: string): Promise<IdsByKind> {
  const rows = await rowsOfOrganization(deps.db.pool, organizationId);
  const read = (table: string) => (rows.get(table) ?? []).map((row) => Row.parse(JSON.parse(row)));
  const { slug } = await deps.db.prisma.organization.findUniqueOrThrow({ where: { id: organizationId } });
  return new Map([
    ...[...rows.keys()].map((table): [string, string[]] => [
      table,
      read(table).flatMap(({ id }) => id ?? []),
    ]),
    ["reference_short_id", read("query_references").flatMap(({ short_id }) => short_id ?? [])],
    ["chat_short_id", read("automation_runs").flatMap(({ short_id }) => short_id ?? [])],
    ["table_name", read("uploaded_tables").map(({ name }) => String(name))],
    ["slug", [slug]],
  ]);
}

/** A DuckDB file of the organization with a table `fruits`. */
async function makeFile({ deps, duckdbFolder }: Surroundings, caller: Caller, text: string): Promise<string> {
  const { slug } = await deps.db.prisma.organization.findUniqueOrThrow({
    where: { id: caller.organizationId },
  });
  const instance = await DuckDBInstance.create(join(duckdbFolder, `${slug}.test.duckdb`));
  const connection = await instance.connect();
  await connection.run("CREATE TABLE fruits AS SELECT $1::VARCHAR AS name, 3 AS weight", [text]);
  connection.closeSync();
  instance.closeSync();
  const connected = { engine: "duckdb" as const, settings: { file: "test.duckdb" } };
  const input = CreateDatabase.parse({ name: `File ${text}`, connection: connected });
  return (await createDatabase(deps, caller, input)).id;
}

/** The organization that nobody may see: `secrets` are in all its texts, and are its ids. */
export async function makeOther(surroundings: Surroundings) {
  const { deps, make } = surroundings;
  const marker = `marker${randomBytes(8).toString("hex")}`;
  const [owner, member] = [await make.user({ name: marker }), await make.user({ name: marker })];
  const caller = await makeOrganizationWithEverything(deps, { owner, member }, marker);
  // Calls name its files, so this is the one text of it that may come back.
  const slug = `other-${randomBytes(8).toString("hex")}`;
  await deps.db.prisma.organization.update({ where: { id: caller.organizationId }, data: { slug } });
  await makeFile(surroundings, caller, marker);
  const read = () => rowsOfOrganization(deps.db.pool, caller.organizationId);
  const before = await read();
  const ids = await readIds(deps, caller.organizationId);
  // A refusal repeats the name of a table, which has the mark in it.
  ids.delete("table_name");
  return {
    ids,
    marks: [marker, owner.email, member.email],
    secretIds: idsIn(before),
    /** The tables in which its rows are not what they were. */
    changedTables: async (): Promise<string[]> => {
      const now = await read();
      return [...before]
        .filter(([table, rows]) => rows.join() !== now.get(table)?.join())
        .map(([table]) => table);
    },
  };
}

export type OtherOrganization = Awaited<ReturnType<typeof makeOther>>;

export const callerNames = ["owner", "admin", "member", "key", "readingKey", "nobody"] as const;
export type CallerName = (typeof callerNames)[number];

/** The organization that calls, with people of every role, keys, and data that can be read and run. */
export async function makeOurs(surroundings: Surroundings, url: string) {
  const { deps, make } = surroundings;
  const [owner, member] = [await make.user(), await make.user()];
  const caller = await makeOrganizationWithEverything(deps, { owner, member }, "ours");
  const { organizationId } = caller;
  const admin = await make.member(organizationId, "admin");
  const analyticalDatabaseConfigId = await makeFile(surroundings, caller, "apple");
  const query = await createQuery(deps, caller, {
    sql: "SELECT name, weight, {{n}} AS n FROM fruits",
    analyticalDatabaseConfigId,
  });
  const n = { name: "n", displayName: "N", type: "integer" as const, defaultValue: "1", description: "" };
  await createReference(deps, caller, { queryId: query.id, parameters: [n] });
  const run = await runQuery(deps, caller, { id: query.id, parameterValues: {} });
  await execute(deps, run.id);
  const all = await createKey(deps, caller, { name: "All", scopes: [...Scope.options] });
  const reading = await createKey(deps, caller, {
    name: "Reading",
    scopes: ["queries:read", "references:read"],
  });
  const origin = deps.deployment.publicUrl;
  const withCookie = async (email: string) => ({ cookie: await signIn(url, origin, email), origin });
  const headers: Record<CallerName, Record<string, string>> = {
    owner: await withCookie(owner.email),
    admin: await withCookie(admin.email),
    member: await withCookie(member.email),
    key: { authorization: `Bearer ${all.key}` },
    readingKey: { authorization: `Bearer ${reading.key}` },
    nobody: {},
  };
  await makeUploads(deps, organizationId, { url, headers: headers.key });
  return { organizationId, headers };
}

/** A file that waits and a table, in the place of rows without files. */
async function makeUploads(
  { db }: Deps,
  organizationId: string,
  { url, headers }: { url: string; headers: Record<string, string> },
): Promise<void> {
  const where = { organizationId };
  await db.prisma.upload.deleteMany({ where });
  await db.prisma.uploadedTable.deleteMany({ where });
  const api = { fetch: (path: string, init?: RequestInit) => fetch(`${url}${path}`, init) };
  const content = "name,weight\napple,3\npear,5\n";
  const table = await sendUpload(api, { content, headers, parameters: { table: "fruits" } });
  const waiting = await sendUpload(api, { content, headers });
  if (!table.ok || !waiting.ok)
    throw new Error(`An upload failed: ${await table.text()} ${await waiting.text()}`);
}

let addresses = 0;

async function signIn(url: string, origin: string, email: string): Promise<string> {
  // Sign-in is limited by address.
  const at = ++addresses;
  const address = `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`;
  const answer = await fetch(`${url}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json", origin, "x-forwarded-for": address },
    body: JSON.stringify({ email, password: testPassword }),
  });
  if (!answer.ok) throw new Error(`Sign-in answered ${answer.status}: ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

export type OurOrganization = Awaited<ReturnType<typeof makeOurs>>;
