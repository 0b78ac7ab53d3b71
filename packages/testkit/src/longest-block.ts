const tickEveryMs = 2;

/**
 * The longest time for which this thread's event loop did not come round, in milliseconds of the thread's own CPU
 * time.
 *
 * Wall time, as `monitorEventLoopDelay` measures it, is no basis for an assertion: on a machine with more work
 * than cores a thread that does nothing is late too. CPU time counts what the thread itself computed between two
 * rounds, garbage collection included, and is nearly the same whatever else the machine does. What it does not
 * count is waiting in a synchronous call (a lock, a disk); nothing in the product does that while it serves.
 */
export async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let before = cpuMs();
  const look = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - before);
    before = now;
  };
  const timer = setInterval(look, tickEveryMs);
  try {
    await work();
    // What came in the last round is counted with the next.
    await new Promise((resolve) => setTimeout(resolve, tickEveryMs));
  } finally {
    clearInterval(timer);
    look();
  }
  return longest;
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
