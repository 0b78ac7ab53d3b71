import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Deps } from "@querybell/core";
import { openDeps } from "@querybell/core/open-deps";
import { importUpload, receiveUpload } from "@querybell/core/uploads";
import type { Caller } from "@querybell/domain";
import { chooseIsolation } from "@querybell/runtime";

/** Where this process ends, as if its power were cut. */
export const crashSteps = [
  "half of the file received",
  "file received",
  "before the new file's row",
  "new file's row written",
  "engine host begun",
  "new file made",
  "transaction begun",
  "transaction committed",
] as const;
export type CrashStep = (typeof crashSteps)[number];

export interface CrashPlan {
  settings: Parameters<typeof openDeps>[0]["settings"];
  caller: Caller;
  step: CrashStep;
  content: string;
  /** The time of the test's clock. */
  now: string;
}

/** A program for tests: it uploads a file, imports it in the place of a table, and is killed at one step. */
if (import.meta.main) {
  const plan: CrashPlan = JSON.parse(process.argv[2] ?? "");
  const deps = openDeps({
    settings: plan.settings,
    clock: { now: () => new Date(plan.now) },
    // Finding the strongest one that works here takes longer than the import.
    isolation: await chooseIsolation({
      ENGINE_ISOLATION: "none",
      NODE_ENV: "test",
      DUCKDB_FOLDER: plan.settings.DUCKDB_FOLDER,
    }),
    onError: console.error,
  });
  const { step, caller, content } = plan;
  const crashAt = async (reached: CrashStep) => {
    if (reached !== step) return;
    process.kill(process.pid, "SIGKILL");
    await wait(60_000);
  };

  async function* pieces() {
    yield Buffer.from(content.slice(0, content.length / 2));
    await crashAt("half of the file received");
    yield Buffer.from(content.slice(content.length / 2));
  }
  const upload = await receiveUpload(deps, caller, {
    fileName: "sales.csv",
    format: "csv",
    announcedBytes: undefined,
    content: pieces(),
  });
  await crashAt("file received");
  await importUpload(crashing(deps, crashAt), caller, {
    id: upload.id,
    table: "sales",
    mode: "replace",
    key: [],
    reading: {},
    types: {},
  });
}

/** The same dependencies, which end the process on their way. */
function crashing(deps: Deps, crashAt: (step: CrashStep) => Promise<void>): Deps {
  const prisma = new Proxy(deps.db.prisma, {
    get(target, name, receiver) {
      const model = Reflect.get(target, name, receiver);
      if (name !== "uploadStoreFile") return model;
      return new Proxy(model, {
        get(rows, method) {
          const call = Reflect.get(rows, method);
          if (method !== "create") return call;
          return async (...args: unknown[]) => {
            await crashAt("before the new file's row");
            const made = await Reflect.apply(call, rows, args);
            await crashAt("new file's row written");
            return made;
          };
        },
      });
    },
  });
  const transaction: Deps["db"]["transaction"] = async (work) => {
    const result = await deps.db.transaction(async (tx) => {
      const done = await work(tx);
      await crashAt("transaction begun");
      return done;
    });
    await crashAt("transaction committed");
    return result;
  };
  const changeTables: Deps["engines"]["changeTables"] = async (request, options) => {
    const changing = deps.engines.changeTables(request, options);
    while (!existsSync(join(request.workspace, request.fileName))) await wait(1);
    await crashAt("engine host begun");
    const outcome = await changing;
    await crashAt("new file made");
    return outcome;
  };
  return {
    ...deps,
    db: { ...deps.db, prisma, transaction },
    engines: { ...deps.engines, changeTables },
  };
}
