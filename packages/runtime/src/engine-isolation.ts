import { SettingsError } from "@querybell/domain";
import { findIsolation, type Isolation, IsolationError, isolationSettings } from "@querybell/engine-hosts";
import { z } from "zod";

export const EngineIsolation = z
  .enum(isolationSettings)
  .default("auto")
  .describe(
    "How processes that run queries are isolated: `auto` takes the strongest method that works here; `none` accepts that there is none",
  );

interface IsolationSettings {
  ENGINE_ISOLATION: z.infer<typeof EngineIsolation>;
  NODE_ENV: string;
  DUCKDB_FOLDER: string;
}

/** Chooses an isolation that works, tested with a real process. Production does not start without one unless it is `none`. */
export async function chooseIsolation(settings: IsolationSettings): Promise<Isolation> {
  const { ENGINE_ISOLATION, NODE_ENV, DUCKDB_FOLDER } = settings;
  try {
    const isolation = await findIsolation({ setting: ENGINE_ISOLATION, dataFolder: DUCKDB_FOLDER });
    if (isolation.name !== "none" || ENGINE_ISOLATION === "none" || NODE_ENV !== "production") {
      return isolation;
    }
  } catch (error) {
    if (!(error instanceof IsolationError)) throw error;
    throw new SettingsError(
      `ENGINE_ISOLATION=${ENGINE_ISOLATION} does not work here. ${error.message} See docs/operating.md for what each method needs.`,
    );
  }
  throw new SettingsError(
    "No method to isolate the processes that run queries works on this machine. Install bubblewrap, or use a kernel with Landlock; or set ENGINE_ISOLATION=none to accept that an exploit of a database engine can access everything that this service can. See docs/operating.md.",
  );
}

interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Logs the isolation at the start of a process. */
export function logIsolation(log: Log, { name, title }: Isolation): void {
  log[name === "none" ? "warn" : "info"]({ engineIsolation: name }, `Isolation of engine hosts: ${title}.`);
}
