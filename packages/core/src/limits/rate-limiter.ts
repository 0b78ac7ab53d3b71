import { AppError } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { createSharedBuckets } from "./shared-buckets.ts";

export interface RateLimiter {
  /** Counts one call. Throws `rate_limited`, with the seconds to wait, if the limit is reached. */
  take(subject: string): void;
  close(): Promise<void>;
}

interface RateLimiterOptions {
  deps: Pick<Deps, "db" | "clock">;
  /** What is limited. Limiters of the same name count together, in all processes. */
  name: string;
  perMinute: number;
  onError: (error: unknown) => void;
}

/** Absorbs rounding: a call that is due must not wait for a millionth of another one. */
const almostOne = 1 - 1e-6;

/**
 * A token bucket for each subject. It holds a minute's calls and refills evenly, so bursts pass and the wait is
 * never longer than the time to refill one call, unless several processes let too many through at once. In its first
 * minute a subject can therefore make twice as many.
 */
export function createRateLimiter({ perMinute, ...options }: RateLimiterOptions): RateLimiter {
  const buckets = createSharedBuckets({ ...options, size: perMinute, perMinute });
  return {
    take(subject) {
      const left = buckets.left(subject);
      if (left < almostOne) {
        const retryAfterSeconds = Math.ceil((1 - left) / (perMinute / 60) - 1e-6);
        throw new AppError(
          "rate_limited",
          `Too many calls. ${perMinute} at once are allowed, and ${perMinute} more in each minute after. Try again in ${retryAfterSeconds} s.`,
          {
            retryAfterSeconds,
          },
        );
      }
      buckets.count(subject);
    },
    close: buckets.close,
  };
}
