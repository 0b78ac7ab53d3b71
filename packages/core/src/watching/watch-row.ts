import { setTimeout as wait } from "node:timers/promises";
import type { NoticeChannel } from "@querybell/db";
import type { Deps } from "../deps.ts";

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
  const unsubscribe = db.notices.subscribe(channel, (changedId) => {
    if (changedId === undefined || changedId === id) changed.resolve();
  });
  try {
    while (!signal.aborted) {
      // Created before the row is read, so that no later change is missed.
      changed = Promise.withResolvers();
      yield await read();
      await waitForChange(changed.promise, signal);
    }
  } finally {
    unsubscribe();
  }
}

async function waitForChange(changed: Promise<void>, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  const either = AbortSignal.any([done.signal, signal]);
  const later = wait(pollEveryMs, undefined, { signal: either }).catch(() => {});
  await Promise.race([changed, later]);
  done.abort();
}
