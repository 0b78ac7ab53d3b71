import { toAppError } from "@querybell/core";
import { openDeps } from "@querybell/core/open-deps";
import { expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest, startApi } from "../testing/api-test.ts";
import { startTcpProxy } from "../testing/tcp-proxy.ts";

apiTest(
  "while the database is gone every face says so, and all is well when it is back",
  async ({ make, makeKey, clock, settings }) => {
    const url = new URL(settings.DATABASE_URL);
    await using proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    const deps = openDeps({ settings: { ...settings, DATABASE_URL: url.href }, clock, onError: () => {} });
    const logLines: string[] = [];
    {
      await using api = await startApi({ deps, logLines });
      const owner = await make.owner();
      const { key } = await makeKey(owner);
      const headers = { authorization: `Bearer ${key}` };
      const client = await api.signedIn(owner);
      const expectWell = async () => {
        await expect(client.settings.get.query()).resolves.toBeDefined();
        await expect(api.withKey(key).keys.describe.query()).resolves.toBeDefined();
        expect((await api.fetch("/api/key", { headers })).status).toBe(200);
        expect((await api.fetch("/readyz")).status).toBe(200);
      };
      await expectWell();

      await proxy.cut();
      await expect(client.settings.get.query()).rejects.toEqual(apiError("unavailable"));
      await expect(client.settings.update.mutate({ name: "Lost" })).rejects.toEqual(apiError("unavailable"));
      // First while the key is cached, then when it must be read.
      for (const ms of [0, 5000]) {
        await clock.advance(ms);
        await expect(api.withKey(key).keys.describe.query()).rejects.toEqual(apiError("unavailable"));
        const answer = await api.fetch("/api/key", { headers });
        expect(answer.status).toBe(503);
        expect(await answer.json()).toMatchObject({ code: "unavailable", status: 503 });
      }
      const signIn = await api.signIn(owner.email);
      expect([signIn.status, await signIn.json()]).toMatchObject([503, { code: "unavailable" }]);
      const ready = await api.fetch("/readyz");
      expect(ready.status).toBe(503);
      expect(await ready.json()).toMatchObject({
        code: "unavailable",
        detail: "No database answers at the address in DATABASE_URL. Start it, or correct the address.",
      });
      expect((await api.fetch("/healthz")).status, "the process itself lives").toBe(200);
      expect(logLines.join("")).toContain("ECONNREFUSED");

      await proxy.mend();
      await expectWell();
    }
    await deps.db.close();
  },
);

apiTest("a transaction that the database cannot end in time counts as unavailable", async ({ deps }) => {
  const slow = deps.db.prisma.$transaction(
    async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM pg_sleep(0.1)`;
      await tx.user.count();
    },
    { timeout: 20 },
  );
  const error: unknown = await slow.catch((reason) => reason);
  expect(toAppError(error)).toMatchObject({ code: "unavailable", cause: error });
});
