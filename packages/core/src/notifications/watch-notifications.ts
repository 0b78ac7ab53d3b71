import type { NotificationUpdate, Person } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { watchRow } from "../watching/watch-row.ts";
import { countUnread, newestId, notificationsSince } from "./read-notifications.ts";

/** Yields the number of unread notifications now, and again whenever new ones arrive, until the signal aborts. */
export async function* watchNotifications(
  { db }: Pick<Deps, "db">,
  person: Pick<Person, "userId">,
  signal: AbortSignal,
): AsyncGenerator<NotificationUpdate> {
  let lastId = await newestId({ db }, person);
  let isFirst = true;
  const watched = watchRow({ db }, { channel: "querybell_notifications", id: person.userId, signal }, () =>
    notificationsSince({ db }, person, lastId),
  );
  for await (const arrived of watched) {
    lastId = arrived.at(-1)?.id ?? lastId;
    if (isFirst || arrived.length > 0) yield { unread: (await countUnread({ db }, person)).count, arrived };
    isFirst = false;
  }
}
