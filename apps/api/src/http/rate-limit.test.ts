import { describe, expect } from "vitest";
import { z } from "zod";
import { apiTest, startApi } from "../testing/api-test.ts";
import { untilCounted } from "../testing/until-counted.ts";

const BatchAnswer = z.array(
  z.object({ error: z.object({ data: z.object({ reason: z.string() }) }).optional() }),
);
const perMinute = 6;
const test = apiTest.extend("serverSettings", { scope: "file" }, () => ({
  RATE_LIMIT_PER_MINUTE: perMinute,
}));

describe("the rate limit", () => {
  test("counts every call of a key, over tRPC and REST, and refills with time", async ({
    api,
    deps,
    make,
    makeKey,
    clock,
  }) => {
    const advance = async (ms: number) => {
      await untilCounted(deps);
      await clock.advance(ms);
    };
    // The time of the database stands still too.
    await advance(0);
    const owner = await make.owner();
    const { key } = await makeKey(owner);
    const headers = { authorization: `Bearer ${key}` };
    const rest = () => api.fetch("/api/key", { headers });
    const trpc = () => api.fetch("/api/trpc/keys.describe", { headers });
    for (let calls = 0; calls < perMinute; calls += 2) {
      expect([(await rest()).status, (await trpc()).status]).toEqual([200, 200]);
    }
    const [onRest, onTrpc] = [await rest(), await trpc()];
    expect([onRest.status, onRest.headers.get("retry-after")]).toEqual([429, "10"]);
    expect(await onRest.json()).toMatchObject({ code: "rate_limited", status: 429 });
    expect([onTrpc.status, onTrpc.headers.get("retry-after")]).toEqual([429, "10"]);
    expect(await onTrpc.json()).toMatchObject({ error: { data: { reason: "rate_limited" } } });

    await advance(9_999);
    expect((await rest()).headers.get("retry-after")).toBe("1");
    await advance(1);
    expect([(await rest()).status, (await rest()).status]).toEqual([200, 429]);
    await advance(24 * 60 * 60_000);
    for (let calls = 0; calls < perMinute; calls++) expect((await rest()).status).toBe(200);
    expect((await rest()).status, "a day's rest saves up a minute's calls").toBe(429);

    const another = await makeKey(owner);
    const answer = await api.fetch("/api/key", { headers: { authorization: `Bearer ${another.key}` } });
    expect(answer.status, "another key has its own calls").toBe(200);
  });

  test("holds for two apis together", async ({ deps, make, makeKey }) => {
    const calls = 80;
    const settings = { RATE_LIMIT_PER_MINUTE: calls };
    await using one = await startApi({ deps, settings });
    await using other = await startApi({ deps, settings });
    const headers = { authorization: `Bearer ${(await makeKey(await make.owner())).key}` };
    let answered = 0;
    for (let asked = 0; asked < 2 * calls; asked++) {
      const { status } = await (asked % 2 ? one : other).fetch("/api/key", { headers });
      if (status === 200) answered++;
    }
    // Alone, each would answer all of its calls. An eighth too many may pass before the other one knows of it, and what is
    // asked while a statement runs.
    expect(answered).toBeGreaterThanOrEqual(calls);
    expect(answered).toBeLessThan(calls * 1.4);
  });

  test("counts each call of a batch", async ({ api, make, makeKey }) => {
    const { key } = await makeKey(await make.owner());
    const batch = (calls: number) =>
      api.fetch(`/api/trpc/${Array(calls).fill("keys.describe").join()}?batch=1`, {
        headers: { authorization: `Bearer ${key}` },
      });
    expect((await batch(perMinute - 2)).status).toBe(200);
    const answer = await batch(4);
    const results = BatchAnswer.parse(await answer.json());
    expect(results.filter(({ error }) => !error)).toHaveLength(2);
    expect(results.flatMap(({ error }) => error?.data.reason ?? [])).toEqual([
      "rate_limited",
      "rate_limited",
    ]);
    expect(answer.headers.get("retry-after")).toBe("10");
  });

  test("counts a person's sessions together", async ({ api, make }) => {
    const { email } = await make.owner();
    const cookies = [await api.sessionCookie(email), await api.sessionCookie(email)];
    const statuses: number[] = [];
    for (let calls = 0; calls <= perMinute; calls++) {
      const headers = { cookie: cookies[calls % 2] ?? "" };
      statuses.push((await api.fetch("/api/trpc/me.get", { headers })).status);
    }
    expect(statuses).toEqual([...Array.from({ length: perMinute }, () => 200), 429]);
  });

  test("counts callers without a session or key by their address", async ({ api }) => {
    const find = (address: string) =>
      api.post("/api/trpc/invitations.find", { token: "guess" }, { "x-forwarded-for": address });
    for (let calls = 0; calls < perMinute; calls++) expect((await find("203.0.113.1")).status).toBe(404);
    expect((await find("203.0.113.1")).status).toBe(429);
    expect((await find("203.0.113.2")).status).toBe(404);
  });
});
