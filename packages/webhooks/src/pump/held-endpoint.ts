import type { Clock } from "@querybell/domain";
import type { ClaimedDelivery } from "./claim.ts";
import type { LoadedEndpoint } from "./endpoints.ts";
import type { LaneName } from "./lanes.ts";

const firstWindow = 1;
const quickMs = 500;
const quickSuccessesToBeHealthy = { healthy: 1, untried: 1, struggling: 3 };

/**
 * An endpoint that this pump holds the lease of, and what it has of it in memory. The window is how many
 * attempts may be in flight: it opens as answers come, so a receiver that hangs has little of ours to hold.
 */
export class HeldEndpoint {
  settings: LoadedEndpoint;
  lane: LaneName;
  inFlight = 0;
  /** Buffered, in flight, or ended and not yet written down: must not be claimed again. */
  readonly known = new Set<string>();
  /** Whether the last claim may have left something due behind. */
  mayHaveMore = true;
  /** With no more than this buffered it is time to claim again. */
  lowBuffer = 0;
  /** Set when the lease is lost: how its attempts end is no longer ours to write. */
  lost = false;
  activeAt = performance.now();

  #buffer: ClaimedDelivery[] = [];
  #window = firstWindow;
  #quickSuccesses = 0;
  #tokens = 1;
  #refilledAt: number;

  constructor(settings: LoadedEndpoint, { clock, lane }: { clock: Clock; lane: LaneName }) {
    this.settings = settings;
    this.lane = lane;
    this.#refilledAt = clock.now().getTime();
  }

  get buffered(): number {
    return this.#buffer.length;
  }

  get hasRoom(): boolean {
    return this.inFlight < this.#mayBeInFlight;
  }

  /** How many to have at hand: what may be in flight several times over, and little of what may well hang. */
  get appetite(): number {
    return 8 * Math.min(this.#mayBeInFlight, 32);
  }

  get #mayBeInFlight(): number {
    return Math.min(this.#window, this.settings.maxInFlight);
  }

  add(delivery: ClaimedDelivery): void {
    this.#buffer.push(delivery);
    this.known.add(delivery.id);
    this.activeAt = performance.now();
  }

  take(): ClaimedDelivery | undefined {
    return this.#buffer.shift();
  }

  /** Forgets what was claimed and not yet sent, and returns its ids; it is still due in the database. */
  dropBuffer(): string[] {
    const ids = this.#buffer.map(({ id }) => id);
    for (const id of ids) this.known.delete(id);
    this.#buffer = [];
    this.mayHaveMore = true;
    return ids;
  }

  /** Milliseconds until the rate limit lets the next attempt start; 0 for now. */
  pause(now: Date): number {
    const { maxPerSecond } = this.settings;
    if (maxPerSecond === null) return 0;
    const elapsed = Math.max(0, now.getTime() - this.#refilledAt);
    // What was not sent in a tenth of a second is not caught up with: no second sees many more than allowed.
    const most = Math.max(1, maxPerSecond / 10);
    this.#tokens = Math.min(most, this.#tokens + (elapsed * maxPerSecond) / 1000);
    this.#refilledAt = now.getTime();
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) * 1000) / maxPerSecond);
  }

  spend(): void {
    if (this.settings.maxPerSecond !== null) this.#tokens -= 1;
  }

  /** Learns from how an attempt ended; returns the lane in which the endpoint belongs now. */
  learn(succeeded: boolean, totalMs: number): LaneName {
    const quick = succeeded && totalMs < quickMs;
    this.#quickSuccesses = quick ? this.#quickSuccesses + 1 : 0;
    if (!succeeded) this.#window = Math.max(1, Math.floor(this.#window / 2));
    else this.#window = Math.min(256, quick ? this.#window * 2 : this.#window + 1);
    if (!quick) return "struggling";
    return this.#quickSuccesses >= quickSuccessesToBeHealthy[this.lane] ? "healthy" : this.lane;
  }
}
