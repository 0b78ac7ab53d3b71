import type { Clock } from "@querybell/domain";

const dayMs = 86_400_000;
const soonMs = 30 * dayMs;
/** A host that got no new connection for this long may have no endpoint any more. */
const rememberedMs = 7 * dayMs;
const maxHosts = 5_000;
const maxListed = 20;

/** When the certificates of receivers end. Hosts are chosen by tenants, so few are kept, and fewer are listed. */
export function createCertificateEnds(clock: Clock) {
  const ends = new Map<string, { expiresAt: number; seenAt: number }>();
  return {
    add(host: string, expiresAt: Date): void {
      const now = clock.now().getTime();
      // At the end of the map again: the first one is the one that was seen longest ago.
      ends.delete(host);
      if (expiresAt.getTime() - now < soonMs) ends.set(host, { expiresAt: expiresAt.getTime(), seenAt: now });
      const [oldest] = ends.keys();
      if (ends.size > maxHosts && oldest !== undefined) ends.delete(oldest);
    },
    /** Those that end soon or have ended, the first ones first. */
    listSoon(): { host: string; expiresInMs: number }[] {
      const now = clock.now().getTime();
      for (const [host, { seenAt }] of ends) if (now - seenAt > rememberedMs) ends.delete(host);
      return [...ends]
        .map(([host, { expiresAt }]) => ({ host, expiresInMs: expiresAt - now }))
        .toSorted((a, b) => a.expiresInMs - b.expiresInMs)
        .slice(0, maxListed);
    },
  };
}
