import {
  createDatabase,
  type DatabaseServer,
  findSharedPostgres,
  startThrowawayPostgres,
} from "@querybell/embedded-postgres";
import { applyMigrations } from "@querybell/prisma";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** A Postgres server for tests, with the template that every test file's database is cloned from. */
    postgres: DatabaseServer;
  }
}

const templateName = "querybell_template";

/** Vitest's global set-up: the server that `npm test` runs for all packages, or one for this package alone. */
export default async function setup({ provide }: TestProject) {
  const shared = findSharedPostgres();
  if (shared) return provide("postgres", shared);
  const { url, superuserUrl, stop } = await startTestPostgres();
  provide("postgres", { url, superuserUrl });
  return stop;
}

/** A throwaway server with the template database. */
export async function startTestPostgres() {
  const server = await startThrowawayPostgres();
  try {
    const template = await createDatabase(server, { name: templateName });
    await applyMigrations(template.url);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** A database for one test file, cloned from the migrated template and dropped when disposed. */
export const createTestDatabase = (server: DatabaseServer) =>
  createDatabase(server, { template: templateName });
