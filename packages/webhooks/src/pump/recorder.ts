import type { OutcomeRecord } from "./outcome-record.ts";
import type { Pool } from "./pool.ts";
import { type Recorded, recordOutcomes } from "./record-outcomes.ts";

interface RecorderOptions {
  pool: Pool;
  pumpId: string;
  /** Told of each batch once it is written, and that the lease is lost. */
  onRecorded: (batch: OutcomeRecord[], recorded: Recorded) => void;
  onError: (error: unknown) => void;
}

export interface Recorder {
  push(endpointId: string, outcome: OutcomeRecord): void;
  /** How many outcomes are not written yet. */
  readonly waiting: number;
  /** Stops writing: what waits is forgotten. */
  abandon(): void;
}

const writerCount = 2;
const gatherMs = 15;
const retryMs = 250;
const maxBatch = 1_500;

/**
 * Writes outcomes in batches, several at a time. The order in which attempts ended is the order in which they
 * count, so those of one endpoint always go to the same writer.
 */
export function createRecorder(options: RecorderOptions): Recorder {
  const writers = Array.from({ length: writerCount }, () => createWriter(options));
  return {
    push(endpointId, outcome) {
      const share = Number.parseInt(endpointId.slice(-1), 16) % writerCount;
      writers[share]?.push(outcome);
    },
    get waiting() {
      return writers.reduce((sum, { waiting }) => sum + waiting, 0);
    },
    abandon() {
      for (const writer of writers) writer.abandon();
    },
  };
}

/** Writes one batch at a time; while it is written the next one gathers. */
function createWriter({ pool, pumpId, onRecorded, onError }: RecorderOptions) {
  let gathered: OutcomeRecord[] = [];
  let writing: OutcomeRecord[] = [];
  let timer: NodeJS.Timeout | undefined;
  let abandoned = false;

  function schedule(delay: number): void {
    if (timer || writing.length > 0 || abandoned) return;
    timer = setTimeout(write, delay);
  }

  async function write(): Promise<void> {
    timer = undefined;
    writing = gathered.slice(0, maxBatch);
    gathered = gathered.slice(maxBatch);
    const batch = writing;
    try {
      const recorded = await recordOutcomes(pool, pumpId, batch);
      if (abandoned) return;
      writing = [];
      onRecorded(batch, recorded);
      if (gathered.length > 0) schedule(gathered.length < maxBatch / 4 ? gatherMs : 0);
    } catch (error) {
      if (abandoned) return;
      // Whether it was written is unknown; writing it again is harmless.
      gathered = [...batch, ...gathered];
      writing = [];
      onError(error);
      schedule(retryMs);
    }
  }

  return {
    push(outcome: OutcomeRecord): void {
      gathered.push(outcome);
      schedule(gatherMs);
    },
    get waiting(): number {
      return gathered.length + writing.length;
    },
    abandon(): void {
      abandoned = true;
      clearTimeout(timer);
      gathered = [];
      writing = [];
    },
  };
}
