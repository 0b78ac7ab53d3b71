import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { Transform } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "../engines.ts";
import { contextOf, postgresDatabase } from "../testing/real-databases.ts";

const setting = "client_connection_check_interval";
const unknownSetting = setting.replace("client", "absent");

/** Replaces a name by one of the same length, so that no length in the protocol changes. */
const replacing = (name: string, other: string) =>
  new Transform({
    transform: (chunk: Buffer, _encoding, done) =>
      done(null, Buffer.from(chunk.toString("latin1").replaceAll(name, other), "latin1")),
  });

/** A real server that seems to lack the setting, as others with the protocol of Postgres do. */
async function startServerWithoutSetting({ host, port }: { host: string; port: number }): Promise<number> {
  const server = net.createServer((incoming) => {
    const outgoing = net.connect({ host, port });
    for (const socket of [incoming, outgoing]) socket.on("error", () => socket.destroy());
    incoming.pipe(replacing(setting, unknownSetting)).pipe(outgoing);
    outgoing.pipe(replacing(unknownSetting, setting)).pipe(incoming);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test("a server without the check of lost connections is used without it", async () => {
  const real = postgresDatabase();
  if (real.engine !== "postgres") expect.unreachable();
  const port = await startServerWithoutSetting(real.configuration);
  const database = postgresDatabase({ host: "127.0.0.1", port });
  const session = await connect(database, contextOf(database));
  const { batches } = await session.execute({
    text: "SELECT current_setting('transaction_read_only')",
    values: [],
  });
  const rows: unknown[] = [];
  for await (const batch of batches) rows.push(...batch);
  await session.close();
  expect(rows).toEqual([["on"]]);
});
