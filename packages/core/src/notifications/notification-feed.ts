import { listenForWakeUps } from "@querybell/delivery";
import type { Deps } from "../deps.ts";

/** Tells subscribers in this process that somebody has new notifications. One connection serves them all. */
export interface NotificationFeed {
  /** Calls back at once whenever the person may have something new; returns how to stop that. */
  subscribe(userId: string, onNews: () => void): () => void;
  close(): Promise<void>;
}

export function openNotificationFeed(
  { db }: Pick<Deps, "db">,
  onError: (error: unknown) => void,
): NotificationFeed {
  const subscribers = new Map<string, Set<() => void>>();
  const tell = (set: Set<() => void> | undefined) => {
    for (const onNews of set ?? []) onNews();
  };
  const listener = listenForWakeUps({
    pool: db.pool,
    channel: "querybell_notifications",
    onWakeUp: (userId) => tell(subscribers.get(userId)),
    // Something may have come while nobody listened.
    onListening: () => {
      for (const set of subscribers.values()) tell(set);
    },
    onError,
  });
  return {
    subscribe(userId, onNews) {
      const set = subscribers.get(userId) ?? new Set();
      subscribers.set(userId, set.add(onNews));
      return () => {
        set.delete(onNews);
        if (set.size === 0 && subscribers.get(userId) === set) subscribers.delete(userId);
      };
    },
    close: () => listener.stop(),
  };
}
