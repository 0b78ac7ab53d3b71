import { openDatabase } from "@querybell/db";
import type { Clock } from "@querybell/domain";
import { createGuard } from "@querybell/guard";
import { createSealer, deriveSecret, parseKeyring } from "@querybell/sealing";
import type { Deps } from "./deps.ts";
import { createAuth } from "./identity/create-auth.ts";
import { SettingsError, type SharedSettings } from "./process/settings.ts";

interface DepsOptions {
  settings: Omit<
    SharedSettings,
    "LOG_LEVEL" | "MAIL_FROM" | "METRICS_TOKEN" | "NODE_ENV" | "WEBHOOK_ALLOW_LOOPBACK"
  > &
    Partial<Pick<SharedSettings, "WEBHOOK_ALLOW_LOOPBACK">>;
  clock: Clock;
  /** Told of what goes wrong beside any request: a broken idle connection, an error inside better-auth. */
  onError: (error: unknown) => void;
}

/** Connects the use cases to a database and keys. Whoever opens it closes `db`. */
export function openDeps({ settings, clock, onError }: DepsOptions): Deps {
  const keyring = readKeyring(settings.SEALING_KEYS);
  const sealer = createSealer(keyring);
  const deployment = {
    publicUrl: settings.PUBLIC_URL,
    restCompatibility: settings.REST_COMPATIBILITY,
    sendsMail: settings.SMTP_URL !== undefined,
  };
  const policy = { allowLoopback: settings.WEBHOOK_ALLOW_LOOPBACK ?? false, allowNetworks: [] };
  const guard = createGuard({ policy, clock });
  const db = openDatabase({
    url: settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    onConnectionError: onError,
  });
  const secret = deriveSecret(keyring[0], "session cookies");
  const auth = createAuth({ db, clock, sealer, deployment, secret, onError });
  return { db, clock, sealer, guard, auth, deployment };
}

function readKeyring(text: string) {
  try {
    return parseKeyring(text);
  } catch (error) {
    throw new SettingsError(`SEALING_KEYS cannot be used. ${error instanceof Error ? error.message : ""}`);
  }
}
