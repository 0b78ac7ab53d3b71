import { setTimeout as wait } from "node:timers/promises";
import type { NoticeChannel } from "@querybell/db";
import type { Deps } from "../deps.ts";

// A notice can get lost with its connection.
const pollEveryMs = 5000;

interface Watched {
  channel: NoticeChannel;
  id: string;
  signal: AbortSignal;
}

/** What is read of a row now, and again whenever it may have changed, until the signal or the reader ends it. */
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
      // Before the row is read: what changes after that is not missed.
      changed = Promise.withResolvers();
      yield await read();
      await firstOf(changed.promise, signal);
    }
  } finally {
    unsubscribe();
  }
}

async function firstOf(changed: Promise<void>, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  const either = AbortSignal.any([done.signal, signal]);
  const later = wait(pollEveryMs, undefined, { signal: either }).catch(() => {});
  await Promise.race([changed, later]);
  done.abort();
}
