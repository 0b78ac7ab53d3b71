import type { Deps } from "@querybell/core";
import { findKeyFaults } from "@querybell/core/operator";
import { SettingsError } from "@querybell/domain";
import type { Logger } from "pino";
import { checkSchema } from "./readiness.ts";

/**
 * Throws if a key of SEALING_KEYS is another one than the key that sealed under its id. With it, this process would seal
 * what the others cannot open, under an id that does not tell the two keys apart. A key that is missing is only told: it
 * may be lost.
 */
export async function requireKeys(
  deps: Pick<Deps, "db" | "sealer">,
  logger: Pick<Logger, "warn">,
): Promise<void> {
  const schema = await checkSchema(deps);
  if (!schema.ready) return;
  const {
    foreign: [foreign],
    missing,
  } = await findKeyFaults(deps, deps.db.pool);
  if (missing.length > 0) {
    const message = "SEALING_KEYS lacks keys that have sealed something. This process cannot open that.";
    logger.warn({ missing }, message);
  }
  if (foreign === undefined) return;
  throw new SettingsError(
    `The key ${foreign} in SEALING_KEYS opens nothing of what the key ${foreign} has sealed: it is another one. Set the key that the other processes have. If that one is lost, give the new one another id.`,
  );
}
