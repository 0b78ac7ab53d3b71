import { startThrowawayPostgres } from "@querybell/embedded-postgres";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrationScript } from "./create-migration.ts";
import { applyMigrations, pendingMigrations } from "./index.ts";
import { listMigrations } from "./migrations-folder.ts";
import { createShadowDatabase } from "./shadow-database.ts";

let server: Awaited<ReturnType<typeof startThrowawayPostgres>>;
beforeAll(async () => {
  server = await startThrowawayPostgres();
});
afterAll(() => server.stop());

test("the migrations give exactly what the schema says", async () => {
  expect(await migrationScript(server.url)).toBe("");
});

test("applying twice applies once", async () => {
  await using database = await createShadowDatabase(server.url);
  expect(await applyMigrations(database.url)).toEqual(await listMigrations());
  expect(await applyMigrations(database.url)).toEqual([]);
});

test("of several processes that apply at once, one does it and all end well", async () => {
  await using database = await createShadowDatabase(server.url);
  const applied = await Promise.all([1, 2, 3].map(() => applyMigrations(database.url)));
  expect(applied.flat()).toEqual(await listMigrations());
});

test("a database tells which migrations it still lacks", async () => {
  await using database = await createShadowDatabase(server.url);
  const pool = new pg.Pool({ connectionString: database.url });
  expect(await pendingMigrations(pool)).toEqual(await listMigrations());
  await applyMigrations(database.url);
  expect(await pendingMigrations(pool)).toEqual([]);
  await pool.end();
});
