import type { Clock } from "@querybell/domain";
import type { ClaimedDelivery } from "../deliveries/claim-due-deliveries.ts";
import type { EndpointSettings } from "./endpoint-settings.ts";
import type { LaneName } from "./lanes.ts";

/** An attempt that takes longer is slow, and moves its endpoint to the struggling lane, even before it ends. */
export const slowAfterMs = 500;

/** How many quick successes in a row bring an endpoint of each lane into the healthy lane. */
const quickSuccessesToBeHealthy = { healthy: 1, untried: 1, struggling: 3 };

/** An endpoint starts with one attempt at a time, since nothing is known about it. */
const initialWindow = 1;
/** One endpoint can use all slots of the healthy lane, if no other needs them. */
const maxWindow = 256;

/** The buffer holds several windows, so that sending continues while the next claim is in the database. */
const bufferedWindows = 8;
/** Larger windows do not increase the buffer: 8 × 32 = 256 deliveries last until the next claim. */
const maxBufferedWindow = 32;

/**
 * An endpoint whose lease this pump holds, with its deliveries in memory. The window is the most attempts that may be
 * in flight. It grows with successes and shrinks with failures, so an endpoint that hangs occupies few slots.
 */
export class HeldEndpoint {
  settings: EndpointSettings;
  lane: LaneName;
  inFlight = 0;
  /** Ids of deliveries that are buffered, in flight, or not yet recorded. They must not be claimed again. */
  readonly claimedIds = new Set<string>();
  /** Whether the database may have due deliveries: the last claim left some, or an emitter has announced one since. */
  mayHaveMore = true;
  /** How often an emitter has announced a delivery. A claim that was under way meanwhile may have missed it. */
  announcements = 0;
  /** More is claimed once the buffer has at most this many deliveries. */
  refillThreshold = 0;
  /** True once the lease is lost. Outcomes must not be recorded after that. */
  isLeaseLost = false;
  lastActiveAt = performance.now();
  lastClaimAt = 0;

  #buffer: ClaimedDelivery[] = [];
  #window = initialWindow;
  #quickSuccesses = 0;
  /** Nothing is sent before this time, in milliseconds since 1970: the receiver of these settings has asked for that. */
  #pause = { until: 0, revision: 0 };
  readonly #rateLimit: TokenBucket;

  constructor(settings: EndpointSettings, { clock, lane }: { clock: Clock; lane: LaneName }) {
    this.settings = settings;
    this.lane = lane;
    this.#rateLimit = new TokenBucket(clock.now());
  }

  get buffered(): number {
    return this.#buffer.length;
  }

  /** Whether another attempt may be in flight. */
  get hasRoom(): boolean {
    return this.inFlight < this.#maxInFlight;
  }

  get needsRefill(): boolean {
    return this.settings.isActive && this.buffered <= this.refillThreshold;
  }

  /** How many deliveries to buffer. Little for an endpoint with a small window, which may be slow. */
  get bufferTarget(): number {
    return bufferedWindows * Math.min(this.#maxInFlight, maxBufferedWindow);
  }

  get #maxInFlight(): number {
    return Math.min(this.#window, this.settings.maxInFlight);
  }

  announceDue(): void {
    this.mayHaveMore = true;
    this.announcements += 1;
  }

  addToBuffer(delivery: ClaimedDelivery): void {
    this.#buffer.push(delivery);
    this.claimedIds.add(delivery.id);
    this.lastActiveAt = performance.now();
  }

  takeFromBuffer(): ClaimedDelivery | undefined {
    return this.#buffer.shift();
  }

  /** Drops the buffered deliveries. They are still due in the database. */
  clearBuffer(): void {
    for (const { id } of this.#buffer) this.claimedIds.delete(id);
    this.#buffer = [];
    this.mayHaveMore = true;
  }

  /** Its outcome is recorded, or nothing was sent. If the delivery is due, it can be claimed again. */
  release(deliveryId: string): void {
    this.claimedIds.delete(deliveryId);
    this.lastActiveAt = performance.now();
  }

  /** Milliseconds until the rate limit and a pause allow the next attempt; 0 for now. */
  msUntilAllowed(now: Date): number {
    const { maxPerSecond } = this.settings;
    const rateMs = maxPerSecond === null ? 0 : this.#rateLimit.msUntilToken(maxPerSecond, now);
    const { until, revision } = this.#pause;
    return revision === this.settings.revision ? Math.max(rateMs, until - now.getTime()) : rateMs;
  }

  pause(milliseconds: number, now: Date): void {
    this.#pause = { until: now.getTime() + milliseconds, revision: this.settings.revision };
  }

  countAgainstRateLimit(): void {
    if (this.settings.maxPerSecond !== null) this.#rateLimit.takeToken();
  }

  /** Adjusts the window to the result of an attempt. Returns the lane in which the endpoint belongs now. */
  applyResult(succeeded: boolean, totalMs: number): LaneName {
    const isQuick = succeeded && totalMs < slowAfterMs;
    this.#quickSuccesses = isQuick ? this.#quickSuccesses + 1 : 0;
    if (!succeeded) this.#window = Math.max(1, Math.floor(this.#window / 2));
    else this.#window = Math.min(maxWindow, isQuick ? this.#window * 2 : this.#window + 1);
    if (!isQuick) return "struggling";
    return this.#quickSuccesses >= quickSuccessesToBeHealthy[this.lane] ? "healthy" : this.lane;
  }
}

/**
 * Limits how often something starts. Unused tokens are kept for a tenth of a second at most, so no second has many
 * more starts than the limit allows.
 */
class TokenBucket {
  #tokens = 1;
  #refilledAt: number;

  constructor(now: Date) {
    this.#refilledAt = now.getTime();
  }

  /** Milliseconds until there is a token; 0 if there is one now. */
  msUntilToken(perSecond: number, now: Date): number {
    const elapsedMs = Math.max(0, now.getTime() - this.#refilledAt);
    const maxTokens = Math.max(1, perSecond / 10);
    this.#tokens = Math.min(maxTokens, this.#tokens + (elapsedMs * perSecond) / 1000);
    this.#refilledAt = now.getTime();
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) * 1000) / perSecond);
  }

  takeToken(): void {
    this.#tokens -= 1;
  }
}
