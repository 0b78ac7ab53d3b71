import type { Pool } from "@querybell/db";
import { type OutcomeRecord, type RecordResult, recordOutcomes } from "../deliveries/record-outcomes.ts";
import { endGoneSubscriptions } from "../deliveries/subscriptions.ts";
import type { HeldEndpoint } from "./held-endpoint.ts";

interface RecorderOptions {
  pool: Pool;
  pumpId: string;
  /** Called after each batch: it is recorded, or the lease is lost. */
  onRecorded: (result: RecordResult) => void;
  onError: (error: unknown) => void;
}

/** How long a batch collects outcomes, so that few statements record many. */
const collectMs = 15;
/** After an error, the database may need time to come back. */
const retryAfterMs = 250;
/** The most outcomes in one statement: it limits how long a statement holds its locks. */
const maxBatch = 1_500;
/** A batch with this many outcomes is written without waiting for more. */
const fullEnough = maxBatch / 4;

interface Unrecorded {
  endpoint: HeldEndpoint;
  outcome: OutcomeRecord;
}

/**
 * Records outcomes in batches: writes one at a time, and collects the next one meanwhile. So failures count in the order
 * in which attempts ended.
 */
export function createOutcomeRecorder({ pool, pumpId, onRecorded, onError }: RecorderOptions) {
  let collected: Unrecorded[] = [];
  let writing: Unrecorded[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isAbandoned = false;

  function schedule(delayMs: number): void {
    if (timer || writing.length > 0 || isAbandoned) return;
    timer = setTimeout(write, delayMs);
  }

  async function write(): Promise<void> {
    timer = undefined;
    writing = collected.slice(0, maxBatch);
    collected = collected.slice(maxBatch);
    const batch = writing;
    try {
      const outcomes = batch.map(({ outcome }) => outcome);
      const result = await recordOutcomes(pool, pumpId, outcomes);
      const gone = outcomes.filter(({ isGone }) => isGone).map(({ endpointId }) => endpointId);
      if (gone.length > 0) await endGoneSubscriptions(pool, gone);
      if (isAbandoned) return;
      writing = [];
      if (result.hasLease) {
        for (const { endpoint, outcome } of batch) endpoint.release(outcome.deliveryId);
      }
      onRecorded(result);
      if (collected.length > 0) schedule(collected.length < fullEnough ? collectMs : 0);
    } catch (error) {
      if (isAbandoned) return;
      // The statement may have committed before the error. Recording a batch twice changes nothing, so retry.
      collected = [...batch, ...collected];
      writing = [];
      onError(error);
      schedule(retryAfterMs);
    }
  }

  return {
    push(endpoint: HeldEndpoint, outcome: OutcomeRecord): void {
      collected.push({ endpoint, outcome });
      schedule(collectMs);
    },
    /** How many outcomes are not recorded yet. */
    get unrecorded(): number {
      return collected.length + writing.length;
    },
    /** Stops recording and drops what is not recorded. */
    abandon(): void {
      isAbandoned = true;
      clearTimeout(timer);
      collected = [];
      writing = [];
    },
  };
}
