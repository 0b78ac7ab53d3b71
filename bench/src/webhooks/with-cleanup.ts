/**
 * Runs a measurement and afterwards takes down everything that it set up, the last first; also on Ctrl-C,
 * when nobody reads on (`| head`), and when it failed. What is put on `stage` must stand being taken down at
 * any moment.
 */
export async function withCleanup(work: (stage: AsyncDisposableStack) => Promise<void>): Promise<void> {
  const stage = new AsyncDisposableStack();
  const stopped = new Promise<string>((resolve) => {
    process.once("SIGINT", resolve).once("SIGTERM", resolve);
    process.stdout.on("error", () => resolve("Nobody reads on"));
  });
  try {
    const why = await Promise.race([stopped, work(stage)]);
    if (why === undefined) return;
    console.error(`${why}: stopping what was started.`);
    process.exitCode = 130;
    // What was at work fails from here on, as its database goes.
    process.on("unhandledRejection", () => {});
  } finally {
    await stage.disposeAsync();
  }
  process.exit();
}
