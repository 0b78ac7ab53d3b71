import { openDatabase } from "@querybell/db";
import type { Clock } from "@querybell/domain";
import { createSealer, deriveSecret, parseKeyring } from "@querybell/sealing";
import type { Deployment, Deps } from "./deps.ts";
import { createAuth } from "./identity/create-auth.ts";

interface DepsOptions {
  databaseUrl: string;
  poolSize: number;
  /** In the form of `parseKeyring`. */
  sealingKeys: string;
  clock: Clock;
  deployment: Deployment;
  /** Told of what goes wrong beside any request: a broken idle connection, an error inside better-auth. */
  onError: (error: unknown) => void;
}

/** Connects the use cases to a database and keys. Whoever opens it closes `db`. */
export function openDeps(options: DepsOptions): Deps {
  const { databaseUrl, poolSize, sealingKeys, clock, deployment, onError } = options;
  const keyring = parseKeyring(sealingKeys);
  const sealer = createSealer(keyring);
  const db = openDatabase({ url: databaseUrl, poolSize, onConnectionError: onError });
  const secret = deriveSecret(keyring[0], "session cookies");
  const auth = createAuth({ db, clock, sealer, deployment, secret, onError });
  return { db, clock, sealer, auth, deployment };
}
