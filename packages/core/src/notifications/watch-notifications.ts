import type { NotificationUpdate, Person } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { watchRow } from "../watch-row.ts";
import { countUnread, listArrived, listRecent, onlyRecent } from "./read-notifications.ts";

/** Yields the number of unread notifications now, and again whenever new ones arrive, until the signal aborts. */
export async function* watchNotifications(
  { db }: Pick<Deps, "db">,
  person: Pick<Person, "userId">,
  signal: AbortSignal,
): AsyncGenerator<NotificationUpdate> {
  let known = await listRecent({ db }, person);
  let isFirst = true;
  const watched = watchRow({ db }, { channel: "querybell_notifications", id: person.userId, signal }, () =>
    listArrived({ db }, person, known),
  );
  for await (const arrived of watched) {
    known = onlyRecent([...known, ...arrived]);
    if (isFirst || arrived.length > 0) yield { unread: (await countUnread({ db }, person)).count, arrived };
    isFirst = false;
  }
}
