import { Pool } from "undici";
import type { Child } from "../webhooks/child.ts";

interface Target {
  url: string;
  path: string;
  headers: Record<string, string>;
  /** The process that answers. */
  process: Child;
}

interface Measured {
  perSecond: number;
  /** Processor time of the process for each answer. */
  cpuMs: number;
  /** Bytes of one answer. */
  bytes: number;
}

const connections = 16;

/** Gets the same address again and again, with several connections, for so many seconds. */
async function measureGets({ url, path, headers, process }: Target, seconds: number): Promise<Measured> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const cpuBefore = process.cpuMs();
  const startedAt = performance.now();
  let count = 0;
  let bytes = 0;
  const one = async () => {
    while (performance.now() - startedAt < seconds * 1000) {
      const { statusCode, body } = await pool.request({ method: "GET", path, headers });
      if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${await body.text()}`);
      bytes = (await body.arrayBuffer()).byteLength;
      count++;
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  const elapsed = (performance.now() - startedAt) / 1000;
  const cpuMs = (process.cpuMs() - cpuBefore) / count;
  await pool.close();
  return { perSecond: count / elapsed, cpuMs, bytes };
}

const rounds = 4;
const secondsEach = 3;

/** Measures both in alternating rounds, so that other load on the machine affects both alike. The first warms up. */
export async function compareGets(ours: Target, bare: Target) {
  const here: Measured[] = [];
  const there: Measured[] = [];
  for (let round = 0; round <= rounds; round++) {
    const [a, b] = [await measureGets(ours, secondsEach), await measureGets(bare, secondsEach)];
    if (round === 0) continue;
    here.push(a);
    there.push(b);
  }
  const mean = (all: Measured[], name: keyof Measured) =>
    all.reduce((sum, one) => sum + one[name], 0) / all.length;
  const summarize = (all: Measured[]): Measured => ({
    perSecond: mean(all, "perSecond"),
    cpuMs: mean(all, "cpuMs"),
    bytes: mean(all, "bytes"),
  });
  const [oursMean, bareMean] = [summarize(here), summarize(there)];
  console.log(
    `ours ${oursMean.perSecond.toFixed(0)}/s, ${oursMean.cpuMs.toFixed(3)} ms of processor time, ${oursMean.bytes} bytes; bare ${bareMean.perSecond.toFixed(0)}/s, ${bareMean.cpuMs.toFixed(3)} ms, ${bareMean.bytes} bytes`,
  );
  return { ratio: oursMean.perSecond / bareMean.perSecond, ours: oursMean, bare: bareMean };
}
