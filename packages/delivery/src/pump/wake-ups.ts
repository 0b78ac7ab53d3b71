import type { Pool } from "./pool.ts";

/** Carries the id of an endpoint that has something due and nobody to see it, or whose settings changed. */
export const wakeUpChannel = "querybell_webhooks";

interface WakeUpOptions {
  pool: Pool;
  channel: string;
  onWakeUp: (payload: string) => void;
  /** Listening has begun, or begun again: what was missed meanwhile has to be looked for. */
  onListening: () => void;
  onError: (error: unknown) => void;
}

const reconnectMs = 1_000;

/** Listens on a connection of its own, and connects again when that breaks. */
export function listenForWakeUps({ pool, channel, onWakeUp, onListening, onError }: WakeUpOptions) {
  let stopped = false;
  let stopListening = () => {};
  let retry: NodeJS.Timeout | undefined;

  async function listen(): Promise<void> {
    try {
      const client = await pool.connect();
      let released = false;
      const release = () => {
        if (!released) client.release(true);
        released = true;
      };
      const again = () => {
        release();
        if (!stopped) retry = setTimeout(listen, reconnectMs);
      };
      if (stopped) return release();
      stopListening = release;
      client.once("end", again);
      client.on("notification", ({ payload }) => void (payload && onWakeUp(payload)));
      await client.query(`LISTEN ${channel}`);
      onListening();
    } catch (error) {
      onError(error);
      if (!stopped) retry = setTimeout(listen, reconnectMs);
    }
  }

  const listening = listen();
  return {
    listening,
    stop() {
      stopped = true;
      clearTimeout(retry);
      stopListening();
    },
  };
}
