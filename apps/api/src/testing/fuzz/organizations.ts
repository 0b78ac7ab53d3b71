import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Deps } from "@querybell/core";
import { createDatabase } from "@querybell/core/databases";
import type { Factories } from "@querybell/core/testing";
import { type Caller, CreateDatabase } from "@querybell/domain";
import { z } from "zod";
import { makeOrganizationWithEverything } from "../organization-with-everything.ts";
import { idsIn, rowsOfOrganization } from "../rows-of-organization.ts";
import type { IdsByKind } from "./symbols.ts";

export interface FuzzSetup {
  deps: Deps;
  make: Factories;
  duckdbFolder: string;
}

const Row = z.looseObject({
  id: z.coerce.string().optional(),
  short_id: z.string().optional(),
  email: z.string().nullish(),
});

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
    ["email", read("users").flatMap(({ email }) => email ?? [])],
    ["slug", [slug]],
  ]);
}

/** A DuckDB file of the organization with a table `fruits`. */
export async function makeFile(
  { deps, duckdbFolder }: FuzzSetup,
  caller: Caller,
  text: string,
): Promise<string> {
  const { slug } = await deps.db.prisma.organization.findUniqueOrThrow({
    where: { id: caller.organizationId },
  });
  const instance = await DuckDBInstance.create(join(duckdbFolder, `${slug}.test.duckdb`));
  const connection = await instance.connect();
  await connection.run("CREATE TABLE fruits AS SELECT $1::VARCHAR AS name, 5 AS weight", [text]);
  connection.closeSync();
  instance.closeSync();
  const connected = { engine: "duckdb" as const, settings: { file: "test.duckdb" } };
  const input = CreateDatabase.parse({ name: `File ${text}`, connection: connected });
  return (await createDatabase(deps, caller, input)).id;
}

/** The organization that nobody may see: `secrets` are in all its texts, and are its ids. */
export async function makeOther(setup: FuzzSetup) {
  const { deps, make } = setup;
  const marker = `marker${randomBytes(8).toString("hex")}`;
  const [owner, member] = [await make.user({ name: marker }), await make.user({ name: marker })];
  const caller = await makeOrganizationWithEverything(deps, { owner, member }, marker);
  // Calls name its files, so this is the one text of it that may come back.
  const slug = `other-${randomBytes(8).toString("hex")}`;
  await deps.db.prisma.organization.update({ where: { id: caller.organizationId }, data: { slug } });
  await makeFile(setup, caller, marker);
  const read = () => rowsOfOrganization(deps.db.pool, caller.organizationId);
  const before = await read();
  const ids = await readIds(deps, caller.organizationId);
  // A refusal repeats the name of a table and an address, which have the mark in them.
  ids.delete("table_name");
  ids.delete("email");
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
