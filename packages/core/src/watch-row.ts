import type { NoticeChannel } from "@querybell/db";
import type { Deps } from "./deps.ts";

// Notices can be lost with their connection, so the row is also polled.
const pollEveryMs = 5000;

interface Watched {
  channel: NoticeChannel;
  id: string;
  signal: AbortSignal;
}

/** Yields the result of `read` now and whenever the row `id` may have changed, until the signal aborts. */
export async function* watchRow<State>(
  { db }: Pick<Deps, "db">,
  { channel, id, signal }: Watched,
  read: () => Promise<State>,
): AsyncGenerator<State> {
  let changed = Promise.withResolvers<void>();
  const readAgain = () => changed.resolve();
  const unsubscribe = db.notices.subscribe(channel, (changedId) => {
    if (changedId === undefined || changedId === id) readAgain();
  });
  signal.addEventListener("abort", readAgain);
  try {
    while (!signal.aborted) {
      // Created before the row is read, so that no later change is missed.
      changed = Promise.withResolvers();
      yield await read();
      const timer = setTimeout(readAgain, pollEveryMs);
      await changed.promise;
      clearTimeout(timer);
    }
  } finally {
    signal.removeEventListener("abort", readAgain);
    unsubscribe();
  }
}
