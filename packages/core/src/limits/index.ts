export { createRateLimiter, type RateLimiter } from "./rate-limiter.ts";
export { createSharedBuckets } from "./shared-buckets.ts";
export { createSubscriptionCounts } from "./subscription-counts.ts";
