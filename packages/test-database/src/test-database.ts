import { randomBytes } from "node:crypto";
import pg from "pg";
import { databaseUrl, templateName } from "./global-postgres.ts";

/** A database for one test file, cloned from the migrated template and dropped when disposed. */
export async function createTestDatabase(serverUrl: string) {
  const name = `test_${randomBytes(6).toString("hex")}`;
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${templateName}`);
  return {
    url: databaseUrl(serverUrl, name),
    async [Symbol.asyncDispose]() {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}
