// The upper bound for deliveries: signed POSTs in a loop, without database, guard or recorded outcomes.
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { Pool } from "undici";
import { BaselineRequest } from "./baseline.ts";

const key = randomBytes(32);
const body = Buffer.alloc(1024, "x");

async function run({ url, paths, count, warmUp, connections }: BaselineRequest): Promise<number> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const post = async (path: string) => {
    const id = randomUUID();
    const timestamp = String(Math.floor(Date.now() / 1000));
    const digest = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("hex");
    const headers = {
      "content-type": "application/json",
      "svc-webhook-id": id,
      "svc-webhook-timestamp": timestamp,
      "svc-webhook-signature": `v1=${digest}`,
    };
    const response = await pool.request({ method: "POST", path, headers, body });
    if (response.statusCode !== 200) throw new Error(`The receiver answered ${response.statusCode}.`);
    await response.body.dump();
  };
  const postAll = async (many: number) => {
    let next = 0;
    const loop = async () => {
      while (next < many) await post(`/${next++ % paths}`);
    };
    await Promise.all(Array.from({ length: connections }, loop));
  };
  await postAll(warmUp);
  const startedAt = performance.now();
  await postAll(count);
  const seconds = (performance.now() - startedAt) / 1000;
  await pool.close();
  return seconds;
}

process.on("message", async (message) => process.send?.(await run(BaselineRequest.parse(message))));
process.on("disconnect", () => process.exit());
process.send?.("ready");
