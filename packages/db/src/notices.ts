import { EventEmitter } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";

/** The channels of LISTEN and NOTIFY. The payload is the id of a row, or of a user for notifications. */
export type NoticeChannel =
  | "querybell_run_waiting"
  | "querybell_automation_run_waiting"
  | "querybell_run_changed"
  | "querybell_run_cancelled"
  | "querybell_automation_run_changed"
  | "querybell_automation_run_ended"
  | "querybell_notifications"
  | "querybell_webhooks"
  | "querybell_deliveries_due";

/** Undefined means that notices may have been missed, so every listener must read its row again. */
type NoticeListener = (id: string | undefined) => void;

export interface Notices {
  /** Listens until the returned function is called. Notices can be lost, so listeners must also poll. */
  subscribe(channel: NoticeChannel, listener: NoticeListener): () => void;
  /** Tells the listeners of all processes about rows that a committed transaction has changed. Does not wait. */
  publish(channel: NoticeChannel, ids: readonly string[]): void;
  close(): Promise<void>;
}

interface NoticesOptions {
  url: string;
  onConnectionError: (error: Error) => void;
}

const reconnectAfterMs = 1000;
/** Idle connections to a machine that has vanished without a word are found after 20 seconds. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
/** A notice has to outlive nothing: its commit writes no rows, and need not wait for the disk. */
const doNotWaitForDisk = "SET synchronous_commit = off";

/** One dedicated connection for the process. Opened when it is first needed, and reopened when it is lost. */
export function createNotices({ url, onConnectionError }: NoticesOptions): Notices {
  const listeners = new EventEmitter().setMaxListeners(0);
  const channels = new Set<NoticeChannel>();
  let client: pg.Client | undefined;
  let pending: Promise<void> | undefined;
  let reconnectTimer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const connect = async () => {
    client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, ...keepAlive });
    client.on("notification", ({ channel, payload }) => listeners.emit(channel, payload));
    client.on("error", onConnectionError);
    client.on("end", scheduleReconnect);
    await client.connect();
    await client.query(doNotWaitForDisk);
    for (const channel of channels) await listen(channel);
  };
  const listen = async (channel: NoticeChannel) => {
    await client?.query(`LISTEN ${channel}`);
    listeners.emit(channel, undefined);
  };
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      onConnectionError(error instanceof Error ? error : new Error(String(error)));
      await client?.end().catch(() => {});
      scheduleReconnect();
    }
  };
  const scheduleReconnect = () => {
    if (isClosed) return;
    clearTimeout(reconnectTimer);
    reconnectTimer = setTimeout(() => {
      pending = attempt(connect);
    }, reconnectAfterMs);
  };

  const outgoing = createOutgoingNotices({
    async send(noticeChannels, ids) {
      pending ??= attempt(connect);
      // After a LISTEN that is under way: a connection executes one statement at a time.
      const sent = pending.then(() =>
        client?.query({
          name: "publish_notices",
          text: "SELECT count(pg_notify(channel, id)) FROM unnest($1::text[], $2::text[]) AS notice(channel, id)",
          values: [noticeChannels, ids],
        }),
      );
      pending = sent.then(
        () => {},
        () => {},
      );
      await sent;
    },
    onError: (error) => onConnectionError(error instanceof Error ? error : new Error(String(error))),
  });

  return {
    publish: outgoing.add,
    subscribe(channel, listener) {
      listeners.on(channel, listener);
      if (!channels.has(channel) && !isClosed) {
        channels.add(channel);
        pending = pending ? pending.then(() => attempt(() => listen(channel))) : attempt(connect);
      }
      return () => listeners.off(channel, listener);
    },
    async close() {
      await outgoing.close();
      isClosed = true;
      clearTimeout(reconnectTimer);
      await pending;
      await client?.end();
    },
  };
}

interface OutgoingNoticesOptions {
  /** Sends notices in one transaction. */
  send: (channels: string[], ids: string[]) => Promise<void>;
  onError: (error: unknown) => void;
}

/** At most 200 transactions a second while there are many notices. After a lone change, the next goes almost at once. */
const gapMs = { afterFew: 1, afterMany: 5 };
/** The end of a run publishes three. */
const many = 4;

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
      const pauseMs = notices.length < many ? gapMs.afterFew : gapMs.afterMany;
      await delay(pauseMs, undefined, { signal: closing.signal }).catch(() => {});
    }
  }

  return {
    add(channel: NoticeChannel, ids: readonly string[]): void {
      if (ids.length === 0 || closing.signal.aborted) return;
      const known = unsent.get(channel) ?? new Set();
      for (const id of ids) known.add(id);
      unsent.set(channel, known);
      // After what the caller publishes next, which then goes in the same batch.
      sending ??= Promise.resolve()
        .then(sendBatches)
        .finally(() => {
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
