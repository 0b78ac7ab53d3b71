import { randomUUID } from "node:crypto";
import type { Deps } from "../deps.ts";

type Notices = Deps["db"]["notices"];

/**
 * Resolves once notices of the channel arrive. Returns a function whose promise resolves when a notice about
 * a row has arrived.
 */
export async function listenForNotices(notices: Notices, channel: Parameters<Notices["subscribe"]>[0]) {
  const heard = new Map<string, PromiseWithResolvers<void>>();
  const noticeOf = (id: string) => {
    const known = heard.get(id) ?? Promise.withResolvers<void>();
    heard.set(id, known);
    return known;
  };
  notices.subscribe(channel, (id) => id !== undefined && noticeOf(id).resolve());
  const first = randomUUID();
  notices.publish(channel, [first]);
  await noticeOf(first).promise;
  return (id: string): Promise<void> => noticeOf(id).promise;
}
