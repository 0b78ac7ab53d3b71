import { type AppError, SettingsError } from "@querybell/domain";

export interface RunningProcess {
  /** Tells load balancers that the process will stop, and resolves when they have had time to notice. */
  announceStop?(): Promise<void>;
  /** Finishes or aborts the work in flight and closes all resources. */
  stop(): Promise<void>;
}

const shutdownTimeoutMs = 30_000;

/**
 * Starts a server process. On SIGTERM it announces the stop first; on SIGINT it stops at once. If a parent
 * process started it (`npm start`), it sends `ready` to the parent, and also stops when the parent is gone. `toAppError`
 * says which errors of the start have a message for the operator.
 */
export async function runUntilStopped(
  start: () => Promise<RunningProcess>,
  toAppError: (error: unknown) => AppError | undefined = () => undefined,
): Promise<void> {
  let running: RunningProcess;
  try {
    running = await start();
  } catch (error) {
    console.error(toStartError(error) ?? toAppError(error)?.message ?? error);
    process.exit(1);
  }
  let stopping = false;
  const stop = async (signal?: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    if (signal === "SIGTERM") await running.announceStop?.();
    setTimeout(forceExit, shutdownTimeoutMs).unref();
    try {
      await running.stop();
    } catch (error) {
      console.error(error);
      process.exitCode = 1;
    }
    if (process.connected) process.disconnect();
  };
  process
    .on("SIGTERM", stop)
    .on("SIGINT", stop)
    .on("disconnect", () => stop());
  process.send?.("ready");
}

/** Ends a process that does not stop in time. Other processes take over its work, as after a crash. */
function forceExit(): void {
  console.error(`This process did not stop within ${shutdownTimeoutMs / 1000} seconds and is ended now.`);
  process.exit(1);
}

function toStartError(error: unknown): string | undefined {
  if (error instanceof SettingsError) return error.message;
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
    return `${error.message}: another program has this port. Stop that one, or choose another port.`;
  }
  return undefined;
}
