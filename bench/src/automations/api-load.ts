import { Pool } from "undici";
import { z } from "zod";

export interface ApiLoad {
  /** Calls a procedure as the published client does, and reads the answer. */
  call(procedure: string, input: object): Promise<unknown>;
  close(): Promise<void>;
}

const Answers = z.tuple([z.object({ result: z.object({ data: z.unknown() }) })]);

/** Calls over HTTP with little code, so that the measured process has the processor. */
export function createApiLoad(url: string, key: string, connections: number): ApiLoad {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return {
    async call(procedure, input) {
      const path = `/api/trpc/${procedure}?batch=1`;
      const { statusCode, body } = await pool.request({
        method: "POST",
        path,
        headers,
        body: JSON.stringify({ 0: input }),
      });
      if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${await body.text()}`);
      return Answers.parse(await body.json())[0].result.data;
    },
    close: () => pool.close(),
  };
}

/** Calls `work` so many times, by so many at once. Returns the calls a second. */
export async function perSecond(
  { calls, concurrency }: { calls: number; concurrency: number },
  work: (index: number) => Promise<void>,
): Promise<number> {
  let started = 0;
  const one = async () => {
    while (started < calls) await work(started++);
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: concurrency }, one));
  return calls / ((performance.now() - startedAt) / 1000);
}
