import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Deps } from "@querybell/core";
import { systemClock } from "@querybell/domain";
import { startThrowawayPostgres } from "@querybell/embedded-postgres";
import { applyMigrations } from "@querybell/prisma";
import { closeDeps, openDeps } from "@querybell/runtime";

/** A new database and the dependencies of the use cases, until the stack is disposed. */
export async function openInstallation(
  opened: AsyncDisposableStack,
  publicUrl: string,
): Promise<{ deps: Deps; duckdbFolder: string }> {
  const { url, stop } = await startThrowawayPostgres();
  opened.defer(stop);
  await applyMigrations(url);
  const duckdbFolder = await mkdtemp(join(tmpdir(), "querybell-bench-"));
  opened.defer(() => rm(duckdbFolder, { recursive: true }));
  const deps = openDeps({
    settings: {
      DATABASE_URL: url,
      DATABASE_POOL_SIZE: 10,
      SEALING_KEYS: `k1:${Buffer.alloc(32, 1).toString("base64")}`,
      PUBLIC_URL: publicUrl,
      REST_COMPATIBILITY: "live",
      DUCKDB_FOLDER: duckdbFolder,
      ANALYTICS_NETWORKS: "",
      SMTP_URL: undefined,
    },
    clock: systemClock,
    onError: (error) => console.error(error),
  });
  opened.defer(() => closeDeps(deps));
  return { deps, duckdbFolder };
}
