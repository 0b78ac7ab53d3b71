import { createCursors } from "@querybell/cursors";
import { openDatabase } from "@querybell/db";
import type { Clock } from "@querybell/domain";
import { createEngineHosts } from "@querybell/engines";
import { createSealer, deriveSecret, parseKeyring } from "@querybell/sealing";
import type { Deps } from "./deps.ts";
import { createAuth } from "./identity/create-auth.ts";
import { SettingsError, type SharedSettings } from "./process/settings.ts";

interface DepsOptions {
  settings: Omit<SharedSettings, "LOG_LEVEL" | "MAIL_FROM" | "METRICS_TOKEN" | "NODE_ENV">;
  clock: Clock;
  /** How many statements this process executes at once on analytical databases. */
  engineHosts?: number;
  /** Told of what goes wrong beside any request: a broken idle connection, an error inside better-auth. */
  onError: (error: unknown) => void;
}

/** Connects the use cases to a database, keys and engines. Whoever opens it closes it with `closeDeps`. */
export function openDeps({ settings, clock, engineHosts = 1, onError }: DepsOptions): Deps {
  const keyring = readKeyring(settings.SEALING_KEYS);
  const sealer = createSealer(keyring);
  const deployment = {
    publicUrl: settings.PUBLIC_URL,
    restCompatibility: settings.REST_COMPATIBILITY,
    sendsMail: settings.SMTP_URL !== undefined,
  };
  const db = openDatabase({
    url: settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    onConnectionError: onError,
  });
  const secret = deriveSecret(keyring[0], "session cookies");
  const auth = createAuth({ db, clock, sealer, deployment, secret, onError });
  const engines = createEngineHosts({
    size: engineHosts,
    dataFolder: settings.DUCKDB_FOLDER,
    onUnexpectedExit: (exit) => onError(new Error(`An engine host ended: ${JSON.stringify(exit)}`)),
  });
  const cursors = createCursors({ sealer, clock });
  return { db, clock, sealer, cursors, auth, deployment, engines };
}

export async function closeDeps({ db, engines }: Deps): Promise<void> {
  await engines.close();
  await db.close();
}

function readKeyring(text: string) {
  try {
    return parseKeyring(text);
  } catch (error) {
    throw new SettingsError(`SEALING_KEYS cannot be used. ${error instanceof Error ? error.message : ""}`);
  }
}
