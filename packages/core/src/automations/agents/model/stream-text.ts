import { setTimeout as sleep } from "node:timers/promises";

interface StreamOptions {
  write: (text: string) => Promise<void>;
  /** Called when a write fails, which happens when the lease is lost. */
  onError: (error: unknown) => void;
}

const writeEveryMs = 250;

/** Writes a growing text to a step: the latest text, one write at a time, a few times a second. */
export function streamText({ write, onError }: StreamOptions) {
  const stopping = new AbortController();
  let latest = "";
  let written = "";
  let writing: Promise<void> | undefined;

  async function writeLatest(): Promise<void> {
    try {
      while (latest !== written && !stopping.signal.aborted) {
        written = latest;
        await write(written);
        await sleep(writeEveryMs, undefined, { signal: stopping.signal }).catch(() => {});
      }
    } catch (error) {
      onError(error);
    } finally {
      writing = undefined;
    }
  }

  return {
    add(text: string): void {
      latest = text;
      writing ??= writeLatest();
    },
    /** Waits for the write under way. Nothing is written after it. */
    async stop(): Promise<void> {
      stopping.abort();
      await writing;
    },
  };
}
