import { toAppError } from "@querybell/db";
import { SettingsError } from "./settings-error.ts";

interface Running {
  /** Finishes what is in flight and lets go of everything. */
  stop(): Promise<void>;
}

const stopWithinMs = 30_000;

/**
 * The life of a server process: it starts, runs until a signal, and stops cleanly. Started by another
 * program (`npm start`), it tells that one when it is ready, and stops when that one is gone.
 */
export async function runUntilStopped(start: () => Promise<Running>): Promise<void> {
  let running: Running;
  try {
    running = await start();
  } catch (error) {
    console.error(whyNotStarted(error));
    process.exit(1);
  }
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    setTimeout(leave, stopWithinMs).unref();
    try {
      await running.stop();
    } catch (error) {
      console.error(error);
      process.exitCode = 1;
    }
    if (process.connected) process.disconnect();
  };
  process.on("SIGTERM", stop).on("SIGINT", stop).on("disconnect", stop);
  process.send?.("ready");
}

/** Whatever is left is picked up by others, as after a crash: better than a process that never ends. */
function leave(): void {
  console.error(`This process could not stop in order within ${stopWithinMs / 1000} seconds, and ends now.`);
  process.exit(1);
}

function whyNotStarted(error: unknown): unknown {
  if (error instanceof SettingsError) return error.message;
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
    return `${error.message}: another program has this port. Stop that one, or choose another port.`;
  }
  return toAppError(error)?.message ?? error;
}
