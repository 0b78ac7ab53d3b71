import { AppError, type Clock } from "@querybell/domain";

export interface RateLimiter {
  /** Counts one call. Throws `rate_limited`, with the seconds to wait, if the limit is reached. */
  take(subject: string): void;
}

interface RateLimiterOptions {
  clock: Clock;
  perMinute: number;
}

/**
 * A token bucket for each subject. It holds a minute's calls and refills evenly, so bursts pass and the wait is
 * never longer than the time to refill one call. In its first minute a subject can therefore make twice as many.
 */
export function createRateLimiter({ clock, perMinute }: RateLimiterOptions): RateLimiter {
  const perMs = perMinute / 60_000;
  const buckets = new Map<string, { left: number; at: number }>();

  const deleteFullBuckets = (now: number) => {
    for (const [subject, { left, at }] of buckets) {
      if (left + (now - at) * perMs >= perMinute) buckets.delete(subject);
    }
  };

  return {
    take(subject) {
      const now = clock.now().getTime();
      const { left, at } = buckets.get(subject) ?? { left: perMinute, at: now };
      const filled = Math.min(perMinute, left + (now - at) * perMs);
      if (filled < 1) {
        const retryAfterSeconds = Math.ceil((1 - filled) / perMs / 1000);
        throw new AppError(
          "rate_limited",
          `Too many calls. ${perMinute} at once are allowed, and ${perMinute} more in each minute after. Try again in ${retryAfterSeconds} s.`,
          {
            retryAfterSeconds,
          },
        );
      }
      if (!buckets.has(subject) && buckets.size >= 10_000) deleteFullBuckets(now);
      buckets.set(subject, { left: filled - 1, at: now });
    },
  };
}
