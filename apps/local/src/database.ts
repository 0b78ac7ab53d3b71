import { EmbeddedPostgresError, startEmbeddedPostgres } from "@querybell/embedded-postgres";
import { applyMigrations } from "@querybell/prisma";
import { StartError, systemCode } from "./start-error.ts";

interface LocalDatabase {
  url: string;
  /** With a role that may create roles; absent for an external database. */
  superuserUrl?: string;
  /** Resolves when the embedded server ends by itself; never for an external database. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

/** The database at DATABASE_URL or, if that is not set, the embedded Postgres in the data folder. */
export async function openLocalDatabase(
  given: string | undefined,
  folder: string,
  onProgress: (sentence: string) => void,
): Promise<LocalDatabase> {
  if (given) return { url: given, ended: new Promise(() => {}), stop: async () => {} };
  try {
    return await startEmbeddedPostgres({ folder, onProgress });
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

export async function migrate(url: string): Promise<string[]> {
  try {
    return await applyMigrations(url);
  } catch (error) {
    throw new StartError(whyNotMigrated(url, error), { cause: error });
  }
}

function whyNotMigrated(url: string, error: unknown): string {
  const { host, username, pathname } = new URL(url);
  switch (systemCode(error)) {
    case "ECONNREFUSED":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "ETIMEDOUT":
    case "EHOSTUNREACH":
      return `No database answers at ${host}; check DATABASE_URL, or leave it out to use the embedded Postgres.`;
    case "28P01":
    case "28000":
      return `The database at ${host} refuses the user ${username || "(none)"}; check the name and password in DATABASE_URL.`;
    case "3D000":
      return `The server at ${host} has no database ${pathname.slice(1)}; create it, or change DATABASE_URL.`;
    default:
      return `The database at ${host} could not be brought up to date: ${error instanceof Error ? error.message.split("\n")[0] : error}`;
  }
}
