import {
  AppError,
  type Caller,
  type CreateDatabase,
  type SavedDatabase,
  type UpdateDatabase,
} from "@querybell/domain";
import type { WaitOptions } from "@querybell/engine-hosts";
import type { Deps } from "../deps.ts";
import { createDatabase } from "./create-database.ts";
import { testDatabase } from "./probe-database.ts";
import { updateDatabase } from "./update-database.ts";

/** Creates a database, connects to it once, and returns the warnings of the connection. */
export async function saveNewDatabase(
  deps: Deps,
  caller: Caller,
  { signal, ...input }: CreateDatabase & WaitOptions,
): Promise<SavedDatabase> {
  const database = await createDatabase(deps, caller, input);
  return { ...database, warnings: await findWarnings(deps, caller, { id: database.id, signal }) };
}

/** Updates a database. Connects only if the connection has changed. */
export async function saveChangedDatabase(
  deps: Deps,
  caller: Caller,
  { signal, ...input }: UpdateDatabase & WaitOptions,
): Promise<SavedDatabase> {
  const database = await updateDatabase(deps, caller, input);
  const { id, connection } = input;
  return { ...database, warnings: connection ? await findWarnings(deps, caller, { id, signal }) : [] };
}

/** A failed connection is only a warning: a database may be configured before it can be reached. */
async function findWarnings(
  deps: Deps,
  caller: Caller,
  target: { id: string } & WaitOptions,
): Promise<string[]> {
  try {
    return (await testDatabase(deps, caller, target)).warnings;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [
      "The database is saved, but could not be connected to. Test the connection to see what to check.",
    ];
  }
}
