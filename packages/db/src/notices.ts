import { EventEmitter } from "node:events";
import pg from "pg";

/** The channels that processes tell each other on; the payload is a row's id. */
const channels = [
  "querybell_run_changed",
  "querybell_run_cancelled",
  "querybell_automation_run_changed",
  "querybell_automation_run_ended",
  "querybell_notifications",
] as const;
export type NoticeChannel = (typeof channels)[number];

/** A notice of one row, or of no row in particular: some may have been missed, so look at yours. */
type NoticeListener = (id: string | undefined) => void;

export interface Notices {
  /** Listens until the returned function is called. A notice is a hint and may get lost: look now and then. */
  subscribe(channel: NoticeChannel, listener: NoticeListener): () => void;
  close(): Promise<void>;
}

interface NoticesOptions {
  url: string;
  onConnectionError: (error: Error) => void;
}

const reconnectAfterMs = 1000;

/** One connection of its own for the whole process, opened when somebody first listens, and reopened when lost. */
export function createNotices({ url, onConnectionError }: NoticesOptions): Notices {
  const listeners = new EventEmitter().setMaxListeners(0);
  let client: pg.Client | undefined;
  let connecting: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  const connect = async () => {
    client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
    client.on("notification", ({ channel, payload }) => listeners.emit(channel, payload));
    client.on("error", onConnectionError);
    client.on("end", reconnectLater);
    try {
      await client.connect();
      for (const channel of channels) await client.query(`LISTEN ${channel}`);
      for (const channel of channels) listeners.emit(channel, undefined);
    } catch (error) {
      onConnectionError(error instanceof Error ? error : new Error(String(error)));
      await client.end().catch(() => {});
      reconnectLater();
    }
  };
  const reconnectLater = () => {
    if (closed) return;
    clearTimeout(retry);
    retry = setTimeout(() => {
      connecting = connect();
    }, reconnectAfterMs);
  };

  return {
    subscribe(channel, listener) {
      if (!closed) connecting ??= connect();
      listeners.on(channel, listener);
      return () => listeners.off(channel, listener);
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      await connecting;
      await client?.end();
    },
  };
}
