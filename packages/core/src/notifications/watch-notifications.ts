import type { Notification, Person } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import type { NotificationFeed } from "./notification-feed.ts";
import { countUnread, listNotifications } from "./read-notifications.ts";

export interface NotificationNews {
  unread: number;
  /** What has come since the last news, oldest first; empty in the first. */
  arrived: Notification[];
}

interface Watching extends Pick<Deps, "db"> {
  feed: NotificationFeed;
}

/** How many notifications are unread now, and again whenever new ones come, until the signal ends it. */
export async function* watchNotifications(
  { db, feed }: Watching,
  person: Pick<Person, "userId">,
  signal: AbortSignal,
): AsyncGenerator<NotificationNews> {
  let wake: () => void = () => {};
  let news = true;
  const onNews = () => {
    news = true;
    wake();
  };
  const unsubscribe = feed.subscribe(person.userId, onNews);
  signal.addEventListener("abort", onNews, { once: true });
  try {
    const newest = await listNotifications({ db }, person, { unreadOnly: false, limit: 1 });
    let seen = newest[0]?.id ?? "";
    let first = true;
    while (!signal.aborted) {
      if (!news) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      news = false;
      const recent = await listNotifications({ db }, person, { unreadOnly: false, limit: 20 });
      const arrived = recent.filter(({ id }) => id > seen).reverse();
      seen = arrived.at(-1)?.id ?? seen;
      if (first || arrived.length > 0) yield { unread: (await countUnread({ db }, person)).count, arrived };
      first = false;
    }
  } finally {
    unsubscribe();
    signal.removeEventListener("abort", onNews);
  }
}
