/**
 * Runs a measurement, then disposes of everything on the `cleanup` stack in reverse order; also on Ctrl-C, on a
 * closed output pipe (`| head`) and after a failure. Every cleanup must work at any moment.
 */
export async function withCleanup(work: (cleanup: AsyncDisposableStack) => Promise<void>): Promise<void> {
  const cleanup = new AsyncDisposableStack();
  const stopped = new Promise<string>((resolve) => {
    process.once("SIGINT", resolve).once("SIGTERM", resolve);
    process.stdout.on("error", () => resolve("The output was closed"));
  });
  try {
    const why = await Promise.race([stopped, work(cleanup)]);
    if (why === undefined) return;
    console.error(`${why}: stopping what was started.`);
    process.exitCode = 130;
    // The measurement still runs, and fails once its database has stopped.
    process.on("unhandledRejection", () => {});
  } finally {
    await cleanup.disposeAsync();
  }
  process.exit();
}
