import type { InputPiece, PerformOptions } from "./engine-host.ts";
import type { StoredResult } from "./engine-hosts.ts";

/**
 * The pieces of several stored results, one result after the other. If one cannot be read, the task is aborted and
 * `throwIfUnreadable` throws the reason.
 */
export function readPieces(
  results: readonly StoredResult[],
  callerSignal: AbortSignal | undefined,
): PerformOptions & { throwIfUnreadable(): void } {
  const unreadable = new AbortController();
  const signal = callerSignal ? AbortSignal.any([callerSignal, unreadable.signal]) : unreadable.signal;
  return {
    signal,
    async *input(): AsyncGenerator<InputPiece> {
      try {
        for (const [position, result] of results.entries()) {
          for await (const bytes of result.read()) yield { position, bytes };
        }
      } catch (error) {
        unreadable.abort(error);
      }
    },
    throwIfUnreadable: () => unreadable.signal.throwIfAborted(),
  };
}
