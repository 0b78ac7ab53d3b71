import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished } from "vitest";
import { apiTest } from "../testing/api-test.ts";

apiTest(
  "a flood of one organization leaves another its turn at the database",
  async ({ api, make, makeKey, deps }) => {
    const [hostile, quiet] = [await make.owner(), await make.owner()];
    const flood = api.withKey((await makeKey(hostile)).key);
    const other = api.withKey((await makeKey(quiet)).key);
    // While this lock is held, nobody can read automations: what asks for them keeps its connection.
    const lock = await deps.db.pool.connect();
    await lock.query("BEGIN");
    await lock.query("LOCK TABLE automations IN ACCESS EXCLUSIVE MODE");
    const stuck = Array.from({ length: 30 }, () => flood.automations.list.query());
    await expect(other.keys.describe.query()).resolves.toMatchObject({
      organization: { id: quiet.organizationId },
    });
    await expect(other.queries.list.query()).resolves.toMatchObject({ items: [] });
    await lock.query("ROLLBACK");
    lock.release();
    await Promise.all(stuck);
  },
);

apiTest("bodies that do not arrive hold no request slot", async ({ api, make, makeKey }) => {
  const owner = await make.owner();
  const { id } = await make.query(owner, "SELECT 1");
  const { key } = await makeKey(owner);
  const authorization = `Bearer ${key}`;
  const list = () => api.fetch("/api/queries", { headers: { authorization } });
  // From here on the api has the key and the organization in memory: nothing else comes before the body.
  expect((await list()).status).toBe(200);
  for (let sent = 0; sent < 6; sent++) {
    const socket = connect(Number(new URL(api.url).port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write(
      `POST /api/queries/${id}/refresh HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n` +
        "content-type: application/json\r\ncontent-length: 10\r\nexpect: 100-continue\r\n\r\n",
    );
    // The api has the request and waits for its body.
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(/^HTTP\/1\.1 100 /);
  }
  expect((await list()).status).toBe(200);
});
