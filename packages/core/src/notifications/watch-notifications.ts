import type { NotificationNews, Person } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { countUnread, newestId, notificationsSince } from "./read-notifications.ts";

/** How many notifications are unread now, and again whenever new ones come, until the signal ends it. */
export async function* watchNotifications(
  { db }: Pick<Deps, "db">,
  person: Pick<Person, "userId">,
  signal: AbortSignal,
): AsyncGenerator<NotificationNews> {
  let news = Promise.withResolvers<void>();
  const unsubscribe = db.notices.subscribe("querybell_notifications", (userId) => {
    if (userId === undefined || userId === person.userId) news.resolve();
  });
  const ended = new Promise<void>((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
  try {
    let seen = await newestId({ db }, person);
    for (let first = true; !signal.aborted; first = false) {
      // Before the rows are read: what comes after that is not missed.
      news = Promise.withResolvers();
      const arrived = await notificationsSince({ db }, person, seen);
      seen = arrived.at(-1)?.id ?? seen;
      if (first || arrived.length > 0) yield { unread: (await countUnread({ db }, person)).count, arrived };
      await Promise.race([news.promise, ended]);
    }
  } finally {
    unsubscribe();
  }
}
