import { freePort } from "@querybell/embedded-postgres";
import { type Child, startChild } from "../webhooks/child.ts";
import { aheadVariable, askForHeap, Heap, jump } from "./jumping-clock.ts";
import { innermostOf } from "./processes.ts";

const entries = {
  api: new URL("api-process.ts", import.meta.url),
  worker: new URL("worker-process.ts", import.meta.url),
};
export type Role = keyof typeof entries;
export const roles = ["api", "worker"] as const;

interface Place {
  role: Role;
  /** Steady processes run from the start to the end, so that their memory can be compared. The others are killed. */
  isSteady: boolean;
  environment: Record<string, string>;
  url: string;
  child: Child;
}

interface FleetOptions {
  environment: Record<string, string>;
  onLine: (line: string) => void;
  onErrorLine: (line: string) => void;
}

/** Two apis and two workers: one of each is killed repeatedly. */
export async function startFleet({ environment, ...output }: FleetOptions) {
  const places: Place[] = [];
  let aheadMs = 0;
  const start = (role: Role, settings: Record<string, string>) =>
    startChild(entries[role], { ...settings, [aheadVariable]: String(aheadMs) }, output);
  for (const role of roles) {
    for (const isSteady of [true, false]) {
      const port = await freePort();
      const settings = { ...environment, PORT: String(port) };
      const child = await start(role, settings);
      places.push({ role, isSteady, environment: settings, url: `http://127.0.0.1:${port}`, child });
    }
  }
  const find = (role: Role, isSteady: boolean): Place => {
    const place = places.find((one) => one.role === role && one.isSteady === isSteady);
    if (!place) throw new Error(`There is no ${role}.`);
    return place;
  };
  return {
    places: places as readonly Readonly<Place>[],
    apis: places.filter(({ role }) => role === "api").map(({ url, isSteady }) => ({ url, isSteady })),
    async killAndRestart(role: Role): Promise<void> {
      const place = find(role, false);
      await place.child.kill();
      place.child = await start(role, place.environment);
    },
    /** Kills a process in which statements run. False if there is none. */
    killEngineHost(): boolean {
      const hosts = places.flatMap(({ child }) => innermostOf(child.pid));
      const host = hosts[Math.floor(Math.random() * hosts.length)];
      if (host) process.kill(host.pid, "SIGKILL");
      return host !== undefined;
    },
    jumpTo(newAheadMs: number): void {
      aheadMs = newAheadMs;
      for (const { child } of places) child.send(jump(aheadMs));
    },
    /** The heap of a steady process after a collection. */
    async heapBytes(role: Role): Promise<number> {
      return Heap.parse(await find(role, true).child.ask(askForHeap)).heapBytes;
    },
    async killAll(): Promise<void> {
      await Promise.all(places.map(({ child }) => child.kill()));
    },
    /** Graceful. Returns the milliseconds that the slowest took. */
    async stopAll(): Promise<number> {
      const startedAt = performance.now();
      await Promise.all(places.map(({ child }) => child.stop()));
      return performance.now() - startedAt;
    },
  };
}
export type Fleet = Awaited<ReturnType<typeof startFleet>>;
