import { EventEmitter } from "node:events";
import pg from "pg";

/** The channels that processes tell each other on; the payload is a row's id. */
export type NoticeChannel =
  | "querybell_run_waiting"
  | "querybell_automation_run_waiting"
  | "querybell_run_changed"
  | "querybell_run_cancelled"
  | "querybell_automation_run_changed"
  | "querybell_automation_run_ended"
  | "querybell_notifications"
  | "querybell_webhooks";

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
  const channels = new Set<NoticeChannel>();
  let client: pg.Client | undefined;
  let busy: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  const connect = async () => {
    client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
    client.on("notification", ({ channel, payload }) => listeners.emit(channel, payload));
    client.on("error", onConnectionError);
    client.on("end", connectLater);
    await client.connect();
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
      connectLater();
    }
  };
  const connectLater = () => {
    if (closed) return;
    clearTimeout(retry);
    retry = setTimeout(() => {
      busy = attempt(connect);
    }, reconnectAfterMs);
  };

  return {
    subscribe(channel, listener) {
      listeners.on(channel, listener);
      if (!channels.has(channel) && !closed) {
        channels.add(channel);
        busy = busy ? busy.then(() => attempt(() => listen(channel))) : attempt(connect);
      }
      return () => listeners.off(channel, listener);
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      await busy;
      await client?.end();
    },
  };
}
