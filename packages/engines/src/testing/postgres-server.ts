import {
  type DatabaseServer,
  findSharedPostgres,
  startThrowawayPostgres,
} from "@querybell/embedded-postgres";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    postgres: DatabaseServer;
  }
}

/** Vitest's global set-up: the server that `npm test` runs for all packages, or one for this package alone. */
export default async function setup({ provide }: TestProject) {
  const shared = findSharedPostgres();
  if (shared) return provide("postgres", shared);
  const { url, superuserUrl, stop } = await startThrowawayPostgres();
  provide("postgres", { url, superuserUrl });
  return stop;
}
