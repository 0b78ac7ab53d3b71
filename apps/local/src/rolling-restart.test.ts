import { setInterval } from "node:timers/promises";
import { createKey } from "@querybell/core/keys";
import { dbTest } from "@querybell/core/testing";
import { freePort } from "@querybell/embedded-postgres";
import { expect, inject, onTestFinished } from "vitest";
import { createApiProcess } from "./testing/api-process.ts";
import { startProbingProxy } from "./testing/probing-proxy.ts";

// Much longer than the proxy needs to notice, also on a busy machine.
const shutdownDelayMs = 4_000;

dbTest(
  "a rolling restart behind a proxy that never tries again answers every request",
  { timeout: 300_000 },
  async ({ settings, deps, make }) => {
    const { key } = await createKey(deps, await make.owner(), { name: "Test", scopes: ["queries:read"] });
    const ports = [await freePort(), await freePort()];
    const apis = ports.map((port) => {
      const { DATABASE_URL, SEALING_KEYS, DUCKDB_FOLDER, PUBLIC_URL } = settings;
      const api = createApiProcess({
        ...{ DATABASE_URL, SEALING_KEYS, DUCKDB_FOLDER, PUBLIC_URL },
        NODE_ENV: "test",
        PORT: String(port),
        RATE_LIMIT_PER_MINUTE: "1000000",
        SHUTDOWN_DELAY_MS: String(shutdownDelayMs),
        LOG_LEVEL: "silent",
        WEB_FOLDER: inject("webFolder"),
      });
      onTestFinished(api.kill);
      return api;
    });
    await Promise.all(apis.map((api) => api.start()));
    await using proxy = await startProbingProxy(ports);
    await proxy.untilReady(ports);

    const answers = new Map<string, number>();
    let isRestarting = true;
    const count = async (init: RequestInit, path: string) => {
      const answer = await fetch(`${proxy.url}${path}`, init);
      await answer.arrayBuffer();
      const answered = `${init.method} ${answer.status} ${answer.headers.get("x-answered-by")}`;
      answers.set(answered, (answers.get(answered) ?? 0) + 1);
    };
    const clients = Array.from({ length: 2 }, async () => {
      // At a steady rate, because more requests would only take CPU time.
      for await (const _ of setInterval(60)) {
        if (!isRestarting) return;
        await count({ method: "GET", headers: { authorization: `Bearer ${key}` } }, "/api/key");
        const headers = { "content-type": "application/json" };
        await count({ method: "POST", headers, body: '{"token":"none"}' }, "/api/trpc/invitations.find");
      }
    });
    for (const api of apis) {
      await api.stop();
      await api.start();
      await proxy.untilReady(ports);
    }
    isRestarting = false;
    await Promise.all(clients);
    // Each address is that of no invitation.
    const expected = ports.flatMap((port) => [`GET 200 ${port}`, `POST 404 ${port}`]);
    expect([...answers.keys()].sort()).toEqual(expected.sort());
  },
);
