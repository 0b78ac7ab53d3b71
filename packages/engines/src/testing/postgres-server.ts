import { startThrowawayPostgres } from "@querybell/embedded-postgres";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

/** Vitest's global set-up: the server that `npm test` runs for all packages, or one for this package alone. */
export default async function setup({ provide }: TestProject) {
  const shared = process.env.QUERYBELL_TEST_POSTGRES_URL;
  const own = shared ? undefined : await startThrowawayPostgres();
  provide("postgresUrl", shared ?? own?.url ?? "");
  return () => own?.stop();
}
