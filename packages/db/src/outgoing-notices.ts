import { setTimeout as delay } from "node:timers/promises";
import type { NoticeChannel } from "./notices.ts";

interface OutgoingNoticesOptions {
  /** Sends notices in one transaction. */
  send: (channels: string[], ids: string[]) => Promise<void>;
  onError: (error: unknown) => void;
}

/** At most 200 transactions a second, however many notices there are. The first after a pause is sent at once. */
const minGapMs = 5;

/**
 * Collects notices and sends them in batches, outside of the transactions that they tell of: commits that NOTIFY wait
 * for each other, including for each other's disk writes. Notices of a process that dies are lost, so listeners poll.
 */
export function createOutgoingNotices({ send, onError }: OutgoingNoticesOptions) {
  const unsent = new Map<NoticeChannel, Set<string>>();
  let sending: Promise<void> | undefined;
  const closing = new AbortController();

  async function sendBatches(): Promise<void> {
    while (unsent.size > 0) {
      const notices = [...unsent].flatMap(([channel, ids]) => [...ids].map((id) => ({ channel, id })));
      unsent.clear();
      try {
        await send(
          notices.map(({ channel }) => channel),
          notices.map(({ id }) => id),
        );
      } catch (error) {
        onError(error);
      }
      await delay(minGapMs, undefined, { signal: closing.signal }).catch(() => {});
    }
  }

  return {
    add(channel: NoticeChannel, ids: readonly string[]): void {
      if (ids.length === 0 || closing.signal.aborted) return;
      const known = unsent.get(channel) ?? new Set();
      for (const id of ids) known.add(id);
      unsent.set(channel, known);
      sending ??= sendBatches().finally(() => {
        sending = undefined;
      });
    },
    /** Sends what is left. */
    async close(): Promise<void> {
      closing.abort();
      await sending;
    },
  };
}
