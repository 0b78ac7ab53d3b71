import type { Deps } from "@querybell/core";
import { explainConnectionFailure } from "@querybell/db";
import { SettingsError } from "@querybell/domain";
import {
  type DatabaseState,
  readDatabaseState,
  readOnlySentence,
  whyUnsupported,
} from "@querybell/prisma/state";

export type Readiness = { ready: true } | { ready: false; reason: string };

export const stoppingProcess = { ready: false, reason: "This process is stopping." } as const;

/** Checks that the database answers, accepts writes, and has the migrations of this version and no others. */
export async function checkReadiness({ db }: Pick<Deps, "db">): Promise<Readiness> {
  try {
    const state = await readDatabaseState(db.pool);
    return toReadiness(whyOtherSchema(state) ?? (state.isReadOnly ? readOnlySentence : undefined));
  } catch (error) {
    return toReadiness(explainConnectionFailure(error) ?? "The database does not answer.");
  }
}

/**
 * The same without the check for writes, for processes that only read, such as a backup of a standby. Throws if the
 * database does not answer.
 */
export const checkSchema = async ({ db }: Pick<Deps, "db">): Promise<Readiness> =>
  toReadiness(whyOtherSchema(await readDatabaseState(db.pool)));

/** Throws if the database is not ready. For a process that cannot work without its tables. */
export async function requireReadiness(deps: Pick<Deps, "db">): Promise<void> {
  const readiness = await checkReadiness(deps);
  if (!readiness.ready) throw new SettingsError(readiness.reason);
}

const toReadiness = (reason: string | undefined): Readiness =>
  reason === undefined ? { ready: true } : { ready: false, reason };

function whyOtherSchema(state: DatabaseState): string | undefined {
  const reason = whyUnsupported(state);
  if (reason !== undefined || state.pending.length === 0) return reason;
  return `The database lacks migrations: ${state.pending.join(", ")}. Run the operator's command migrate first.`;
}
