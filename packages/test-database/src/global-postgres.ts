import { startThrowawayPostgres } from "@querybell/embedded-postgres";
import { applyMigrations } from "@querybell/prisma";
import pg from "pg";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** A Postgres server for tests, with the template that every test file's database is cloned from. */
    postgresUrl: string;
  }
}

export const templateName = "querybell_template";

/** Vitest's global set-up: the server that `npm test` runs for all packages, or one for this package alone. */
export default async function setup({ provide }: TestProject) {
  const shared = process.env.QUERYBELL_TEST_POSTGRES_URL;
  const own = shared ? undefined : await startTestPostgres();
  provide("postgresUrl", shared ?? own?.url ?? "");
  return () => own?.stop();
}

/** A throwaway server with the template database. */
export async function startTestPostgres() {
  const server = await startThrowawayPostgres();
  try {
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    await admin.query(`CREATE DATABASE ${templateName}`);
    await admin.end();
    await applyMigrations(databaseUrl(server.url, templateName));
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.toString();
}
