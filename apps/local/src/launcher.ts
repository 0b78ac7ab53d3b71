import { once } from "node:events";
import { styleText } from "node:util";
import { SettingsError } from "@querybell/domain";
import { type Launch, start } from "./start.ts";
import { StartError } from "./start-error.ts";

/** Starts everything, and stops it on Ctrl-C, when the parent process is gone, or when a process ends unexpectedly. */
export async function runLauncher(readLaunch: () => Launch): Promise<void> {
  const progress = createProgress((text) => process.stdout.write(text));
  const stopped = new AbortController();
  let hasStarted = false;
  const stop = () => {
    if (!hasStarted && !stopped.signal.aborted) progress.step("Stopping once this step has ended");
    stopped.abort();
  };
  process.on("SIGINT", stop).on("SIGTERM", stop).on("SIGHUP", stop).on("disconnect", stop);

  // After the terminal is closed, write errors must not prevent the shutdown.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

  try {
    const running = await start(readLaunch(), { onStep: progress.step, signal: stopped.signal });
    progress.finish();
    hasStarted = true;
    console.log(running.message);
    const printing = printLines(running.received);
    const failed = await Promise.race([running.ended, once(stopped.signal, "abort").then(() => undefined)]);
    if (failed) {
      console.error(`\nStopping everything, because ${failed}.`);
      process.exitCode = 1;
    }
    progress.step("Stopping");
    await running.stop();
    await printing;
    progress.finish();
  } catch (error) {
    progress.finish();
    if (!stopped.signal.aborted) {
      const known = error instanceof StartError || error instanceof SettingsError;
      console.error(known ? `\n${error.message}` : error);
      process.exitCode = 1;
    }
  }
  process.off("disconnect", stop);
  if (process.connected) process.disconnect();
}

/** Prints the output of the example receiver. */
async function printLines(received: AsyncIterable<string> | undefined): Promise<void> {
  for await (const line of received ?? []) console.log(line);
}

/** Writes one line for each step, with its duration. */
function createProgress(write: (text: string) => void) {
  let since = performance.now();
  let open = false;

  const finish = () => {
    if (!open) return;
    const seconds = ((performance.now() - since) / 1000).toFixed(1);
    write(` ${styleText("dim", `${seconds} s`)}\n`);
    open = false;
  };
  return {
    step(sentence: string) {
      finish();
      write(`${styleText("cyan", "›")} ${sentence} …`);
      since = performance.now();
      open = true;
    },
    finish,
  };
}
