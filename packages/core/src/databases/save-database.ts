import {
  AppError,
  type Caller,
  type CreateDatabase,
  type SavedDatabase,
  type UpdateDatabase,
} from "@querybell/domain";
import type { WaitOptions } from "@querybell/engines";
import type { Deps } from "../deps.ts";
import { createDatabase } from "./create-database.ts";
import { testDatabase } from "./probe-database.ts";
import { updateDatabase } from "./update-database.ts";

/** Stores a configuration, connects once, and tells what the admin should know about the connection. */
export async function saveNewDatabase(
  deps: Deps,
  caller: Caller,
  { signal, ...input }: CreateDatabase & WaitOptions,
): Promise<SavedDatabase> {
  const database = await createDatabase(deps, caller, input);
  return { ...database, warnings: await findWarnings(deps, caller, { id: database.id, signal }) };
}

/** The same for a change; without a new connection there is nothing to check. */
export async function saveChangedDatabase(
  deps: Deps,
  caller: Caller,
  { signal, ...input }: UpdateDatabase & WaitOptions,
): Promise<SavedDatabase> {
  const database = await updateDatabase(deps, caller, input);
  const { id, connection } = input;
  return { ...database, warnings: connection ? await findWarnings(deps, caller, { id, signal }) : [] };
}

/** It is saved by now, whatever the server says: a database may be configured before it can be reached. */
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
