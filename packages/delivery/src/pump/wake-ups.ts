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
  let giveBack = async () => {};
  let retry: NodeJS.Timeout | undefined;

  async function listen(): Promise<void> {
    try {
      const client = await pool.connect();
      const hear = ({ payload }: { payload?: string | undefined }) => void (payload && onWakeUp(payload));
      const lose = () => {
        giveBack = async () => {};
        client.release(true);
        listenLater();
      };
      client.once("end", lose);
      client.on("notification", hear);
      giveBack = async () => {
        client.off("end", lose);
        client.off("notification", hear);
        await client.query("UNLISTEN *").catch(onError);
        client.release();
      };
      await client.query(`LISTEN ${channel}`);
      if (!stopped) onListening();
    } catch (error) {
      onError(error);
      listenLater();
    }
  }

  function listenLater(): void {
    if (!stopped) retry = setTimeout(listen, reconnectMs);
  }

  const listening = listen();
  return {
    listening,
    async stop() {
      stopped = true;
      clearTimeout(retry);
      await listening;
      await giveBack();
    },
  };
}
