/**
 * Runs a measurement and afterwards takes down everything that it set up, the last first; also on Ctrl-C,
 * and when it failed. What is put on `stage` must stand being taken down at any moment.
 */
export async function onStage(work: (stage: AsyncDisposableStack) => Promise<void>): Promise<void> {
  const stage = new AsyncDisposableStack();
  const stop = async (signal: NodeJS.Signals) => {
    console.error(`${signal}: stopping what was started.`);
    await stage.disposeAsync();
    process.exit(130);
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  try {
    await work(stage);
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
    await stage.disposeAsync();
  }
}
