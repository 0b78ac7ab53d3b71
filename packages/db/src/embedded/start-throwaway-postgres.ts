import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./start-embedded-postgres.ts";

/** A new, empty server for tests, which `stop` removes with its data. */
export async function startThrowawayPostgres(): Promise<EmbeddedPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "querybell-throwaway-"));
  const postgres = await startEmbeddedPostgres({ folder, profile: "fast" });
  let stopping: Promise<void> | undefined;
  const stopNow = async () => {
    await postgres.stop();
    await rm(postgres.place, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  };
  return { ...postgres, stop: () => (stopping ??= stopNow()) };
}
