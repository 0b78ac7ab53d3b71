import type { Deps } from "@querybell/core";
import { closeDeps, openDeps } from "@querybell/core/open-deps";
import { systemClock } from "@querybell/domain";
import { startThrowawayPostgres } from "@querybell/embedded-postgres";
import { applyMigrations } from "@querybell/prisma";

/** An empty, migrated database, and the use cases on it. Closed with `opened`. */
export async function openDatabase(
  opened: AsyncDisposableStack,
  engines = { DUCKDB_FOLDER: "", ANALYTICS_NETWORKS: "" },
): Promise<{ deps: Deps; url: string }> {
  const { url, stop } = await startThrowawayPostgres();
  opened.defer(stop);
  await applyMigrations(url);
  const deps = openDeps({
    settings: {
      DATABASE_URL: url,
      DATABASE_POOL_SIZE: 10,
      SEALING_KEYS: `k1:${Buffer.alloc(32, 1).toString("base64")}`,
      PUBLIC_URL: "http://localhost:4000",
      REST_COMPATIBILITY: "live",
      ...engines,
      SMTP_URL: undefined,
    },
    clock: systemClock,
    onError: (error) => console.error(error),
  });
  opened.defer(() => closeDeps(deps));
  return { deps, url };
}
