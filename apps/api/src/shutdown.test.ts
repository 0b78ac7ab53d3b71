import { once } from "node:events";
import { connect } from "node:net";
import { expect, vi } from "vitest";
import { apiTest, startApi } from "./testing/api-test.ts";

const patience = { timeout: 20_000 };

apiTest("stopping finishes what was begun and takes nothing new", async ({ make, deps }) => {
  const owner = await make.owner();
  const api = await startApi({ deps });
  const client = await api.signedIn(owner);

  // A lock on the organization holds the request where it is.
  const holder = await deps.db.pool.connect();
  await holder.query("BEGIN");
  await holder.query("SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE", [owner.organizationId]);
  const inFlight = client.settings.update.mutate({ name: "Finished" });
  await vi.waitFor(async () => {
    const { rowCount } = await holder.query(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    expect(rowCount).toBe(1);
  }, patience);

  let stopped = false;
  const stopping = api[Symbol.asyncDispose]().then(() => {
    stopped = true;
  });
  await vi.waitFor(() => expect(tryToConnect(api.url)).resolves.toBe("ECONNREFUSED"), patience);
  expect(stopped, "it waits for the request").toBe(false);

  await holder.query("COMMIT");
  holder.release();
  await expect(inFlight).resolves.toMatchObject({ name: "Finished" });
  await stopping;
});

async function tryToConnect(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, "connect");
    return "connected";
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  } finally {
    socket.destroy();
  }
}
