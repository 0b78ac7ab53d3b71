import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { execute } from "@querybell/core/testing";
import { expect, onTestFinished } from "vitest";
import { apiTest } from "../testing/api-test.ts";

// Texts that do not compress, and more of them than the system keeps for a connection.
const rows = Array.from({ length: 250 }, () => [randomBytes(36_000).toString("base64")]);
const fields = [{ name: "text", type: "string" }];
const json = JSON.stringify({ fields, rows, rowCount: rows.length });
const large = gzipSync(json, { level: 1 });

apiTest(
  "a third Parquet file of an organization waits until the client of another has left",
  async ({ api, deps, make, makeKey }) => {
    const owner = await make.owner();
    const authorization = `Bearer ${(await makeKey(owner)).key}`;
    const resultOf = async (sql: string) => {
      const { id } = await make.query(owner, sql);
      const run = await (await api.signedIn(owner)).queries.run.mutate({ id });
      await execute(deps, run.id);
      return run.id;
    };
    const [largeRun, smallRun] = [await resultOf("SELECT 1"), await resultOf("SELECT 2")];
    await deps.db.pool.query(
      "UPDATE query_results SET gzipped_json = $1, json_bytes = $2 WHERE run_id = $3",
      [large, json.length, largeRun],
    );
    /** Begins the download and reads none of it. */
    const beginDownload = async () => {
      const socket = connect(Number(new URL(api.url).port), "127.0.0.1");
      onTestFinished(() => void socket.destroy());
      socket.write(
        `GET /api/runs/${largeRun}/result.parquet HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n`,
      );
      await once(socket, "readable");
      return socket;
    };
    const download = (ending: string) =>
      api.fetch(`/api/runs/${smallRun}/result${ending}`, { headers: { authorization } });

    const [first] = [await beginDownload(), await beginDownload()];
    let isAnswered = false;
    const third = download(".parquet").finally(() => {
      isAnswered = true;
    });
    // Later requests that need no conversion are answered meanwhile.
    for (let count = 0; count < 20; count++) expect((await download(".json")).status).toBe(200);
    expect(isAnswered).toBe(false);
    first.destroy();
    expect((await third).status).toBe(200);
  },
);
