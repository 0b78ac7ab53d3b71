import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { setInterval } from "node:timers/promises";

const probeEveryMs = 50;

/**
 * A proxy as many are: it probes `/readyz` of each server, sends every request to one that was ready, in turns, keeps its
 * connections open, and never tries a request again. What fails is answered with 502.
 */
export async function startProbingProxy(ports: readonly number[]) {
  const ready = new Set<number>();
  const changed = new EventTarget();
  const agent = new Agent({ keepAlive: true });
  const stopped = new AbortController();
  const probe = async (port: number) => {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (answer?.ok) ready.add(port);
    else ready.delete(port);
    await answer?.body?.cancel();
    changed.dispatchEvent(new Event("probed"));
  };
  const probing = Promise.all(
    ports.map(async (port) => {
      try {
        for await (const _ of setInterval(probeEveryMs, undefined, { signal: stopped.signal }))
          await probe(port);
      } catch (error) {
        if (!stopped.signal.aborted) throw error;
      }
    }),
  );

  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    const candidates = [...ready];
    const port = candidates[turn++ % candidates.length];
    const fail = () => outgoing.writeHead(502).end();
    if (port === undefined) return fail();
    const { method, url: path, headers } = incoming;
    const forwarded = request({ host: "127.0.0.1", port, method, path, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, { "x-answered-by": String(port) });
      answer.pipe(outgoing);
    });
    forwarded.on("error", fail);
    incoming.pipe(forwarded);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async untilReady(expected: readonly number[]): Promise<void> {
      while (expected.some((port) => !ready.has(port))) await once(changed, "probed");
    },
    async [Symbol.asyncDispose]() {
      stopped.abort();
      await probing;
      agent.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}
