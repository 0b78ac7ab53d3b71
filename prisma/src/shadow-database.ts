import { randomBytes } from "node:crypto";
import pg from "pg";

/** A new, empty database beside the given one, dropped when it is disposed of. */
export async function createShadowDatabase(databaseUrl: string) {
  const name = `querybell_shadow_${randomBytes(6).toString("hex")}`;
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  return {
    url: url.toString(),
    async [Symbol.asyncDispose]() {
      // Postgres waits a few seconds for connections that are still saying goodbye.
      await admin.query(`DROP DATABASE ${name}`);
      await admin.end();
    },
  };
}
