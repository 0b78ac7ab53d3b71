import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { FairSlots } from "./fair-slots.ts";

/** Asks for a slot and notes when it is granted; `release` gives it back. */
function ask(slots: FairSlots, organizationId: string, granted: string[], signal?: AbortSignal) {
  const asked = { release: () => {}, outcome: Promise.resolve<unknown>(undefined) };
  asked.outcome = slots.acquire(organizationId, signal).then(
    (release) => {
      if (!release) return "gave up";
      granted.push(organizationId);
      asked.release = release;
      return "granted";
    },
    (error: { code: string }) => error.code,
  );
  return asked;
}
const settle = () => new Promise(setImmediate);

describe("slots", () => {
  test("another organization gets the next one that becomes free, however many tasks one has waiting", async () => {
    const slots = new FairSlots({ size: 2 });
    const granted: string[] = [];
    const first = [ask(slots, "noisy", granted), ask(slots, "noisy", granted)];
    for (let time = 0; time < 20; time++) ask(slots, "noisy", granted);
    ask(slots, "quiet", granted);
    await settle();
    expect(granted).toEqual(["noisy", "noisy"]);
    first[0]?.release();
    await settle();
    expect(granted).toEqual(["noisy", "noisy", "quiet"]);
  });

  test("go round among organizations that hold as many", async () => {
    const slots = new FairSlots({ size: 1 });
    const granted: string[] = [];
    const asked = ["a", "a", "a", "b", "b", "c"].map((name) => ask(slots, name, granted));
    for (let time = 0; time < asked.length; time++) {
      await settle();
      for (const { release } of asked) release();
    }
    expect(granted).toEqual(["a", "b", "c", "a", "b", "a"]);
  });

  test("are held by one organization up to its maximum, and the rest stay free for others", async () => {
    const slots = new FairSlots({ size: 3, maxPerOrganization: 2 });
    const granted: string[] = [];
    for (let time = 0; time < 5; time++) ask(slots, "noisy", granted);
    await settle();
    expect(granted).toEqual(["noisy", "noisy"]);
    ask(slots, "quiet", granted);
    await settle();
    expect(granted).toEqual(["noisy", "noisy", "quiet"]);
  });

  describe("of an organization that asks very often", () => {
    const limits = { maxPerOrganization: 4, floodLimit: { slots: 2, requestsPerSecond: 5 } };
    const useClock = () => {
      vi.useFakeTimers({ toFake: ["performance"] });
      onTestFinished(() => void vi.useRealTimers());
    };

    test("are fewer beside others, and as many as otherwise a second after the last of them", async () => {
      useClock();
      const slots = new FairSlots({ size: 10, ...limits });
      const granted: string[] = [];
      const quiet = Array.from({ length: 4 }, () => ask(slots, "quiet", granted));
      await settle();
      expect(granted).toEqual(Array(4).fill("quiet"));
      for (const { release } of quiet) release();
      const noisy = Array.from({ length: 9 }, () => ask(slots, "noisy", granted));
      await settle();
      // The first four were no flood yet.
      expect(granted.slice(4)).toEqual(Array(4).fill("noisy"));
      for (const { release } of noisy.slice(0, 3)) release();
      await settle();
      expect(granted.slice(4)).toEqual(Array(5).fill("noisy"));
      vi.advanceTimersByTime(1_001);
      noisy[3]?.release();
      await settle();
      expect(granted.slice(4)).toEqual(Array(8).fill("noisy"));
    });

    test("are as many as otherwise once it asks less often", async () => {
      useClock();
      const slots = new FairSlots({ size: 10, ...limits });
      const flood = Array.from({ length: 20 }, () => ask(slots, "noisy", []));
      while (slots.heldCount > 0) {
        await settle();
        for (const { release } of flood) release();
      }
      vi.advanceTimersByTime(2_000);
      const granted: string[] = [];
      ask(slots, "quiet", []);
      for (let time = 0; time < 4; time++) ask(slots, "noisy", granted);
      await settle();
      expect(granted).toHaveLength(4);
    });
  });

  test("are refused at once where too many wait: of one organization, or of all", async () => {
    const slots = new FairSlots({ size: 1, maxWaitingPerOrganization: 2, maxWaiting: 3 });
    const asked = ["a", "a", "a", "a", "b", "b"].map((name) => ask(slots, name, []));
    await settle();
    expect(await asked[3]?.outcome).toBe("rate_limited");
    expect(await asked[5]?.outcome).toBe("unavailable");
    expect(slots.waitingCount).toBe(3);
  });

  test("are refused to who has waited too long, and to nobody who got one", async () => {
    const slots = new FairSlots({ size: 1, waitMs: 1 });
    const [first, second] = [ask(slots, "a", []), ask(slots, "a", [])];
    expect(await first.outcome).toBe("granted");
    expect(await second.outcome).toBe("unavailable");
    expect(slots.waitingCount).toBe(0);
  });

  test("are given to nobody who has gone, and nobody waits once they are closed", async () => {
    const slots = new FairSlots({ size: 1 });
    const gone = new AbortController();
    const granted: string[] = [];
    const first = ask(slots, "a", granted);
    const second = ask(slots, "b", granted, gone.signal);
    const third = ask(slots, "c", granted);
    gone.abort();
    expect(await second.outcome).toBe("gave up");
    expect(await ask(slots, "d", granted, gone.signal).outcome).toBe("gave up");
    slots.close();
    expect(await third.outcome).toBe("gave up");
    first.release();
    await settle();
    expect(granted).toEqual(["a"]);
    expect(slots.heldCount).toBe(0);
  });

  test("are never more than there are, and never free while somebody may have one", async () => {
    const step = fc.record({ organization: fc.constantFrom("a", "b", "c"), release: fc.nat(5) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 1, max: 3 }),
        async (steps, size) => {
          const slots = new FairSlots({ size });
          const asked: ReturnType<typeof ask>[] = [];
          for (const { organization, release } of steps) {
            asked.push(ask(slots, organization, []));
            asked[release]?.release();
            await settle();
            expect(slots.heldCount).toBeLessThanOrEqual(size);
            expect(slots.waitingCount === 0 || slots.heldCount === size).toBe(true);
          }
        },
      ),
    );
  });
});
