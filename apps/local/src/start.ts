import { join } from "node:path";
import { closeDeps, openDeps, readSettings, seedDemo, sharedSettings } from "@querybell/core";
import { systemClock } from "@querybell/domain";
import { UnsealError } from "@querybell/sealing";
import { z } from "zod";
import { closingMessage } from "./closing-message.ts";
import { prepareDataFolder, readOrCreateSealingKeys } from "./data-folder.ts";
import { migrate, openLocalDatabase } from "./database.ts";
import { environmentWith, type LocalSettings } from "./env.ts";
import { refuseTakenPort } from "./ports.ts";
import { type Service, startReceiver, startService } from "./service.ts";
import { StartError } from "./start-error.ts";

interface StartOptions {
  settings: LocalSettings;
  onStep: (sentence: string) => void;
  /** Aborted when the person has had enough: the start then ends after the step at hand. */
  signal: AbortSignal;
}

/** Brings everything up in order. What was started is stopped again, last first, when a step fails. */
export async function start({ settings, onStep, signal }: StartOptions) {
  const step = (sentence: string) => {
    signal.throwIfAborted();
    onStep(sentence);
  };
  const { DATA_FOLDER, PORT, WORKER_PORT, RECEIVER_PORT } = settings;
  await using started = new AsyncDisposableStack();

  step("Checking ports and folders");
  await refuseTakenPort(PORT, "PORT");
  await refuseTakenPort(WORKER_PORT, "WORKER_PORT");
  await refuseTakenPort(RECEIVER_PORT, "RECEIVER_PORT");
  await prepareDataFolder(DATA_FOLDER);
  const sealingKeys = settings.SEALING_KEYS ?? (await readOrCreateSealingKeys(DATA_FOLDER));

  const database = await openLocalDatabase(settings.DATABASE_URL, join(DATA_FOLDER, "postgres"), step);
  started.defer(database.stop);
  step("Bringing the database up to date");
  await migrate(database.url);

  const url = settings.PUBLIC_URL ?? `http://localhost:${PORT}`;
  const forServices = {
    NODE_ENV: "development",
    REST_COMPATIBILITY: "live",
    WEBHOOK_ALLOW_LOOPBACK: "1",
    DATABASE_URL: database.url,
    SEALING_KEYS: sealingKeys,
    PUBLIC_URL: url,
    DUCKDB_FOLDER: join(DATA_FOLDER, "duckdb"),
    PORT: String(PORT),
    WORKER_PORT: String(WORKER_PORT),
  };
  step("Seeding the demo organization and its shop");
  const { key, queryId, receiverSecrets } = await seed(forServices, `http://127.0.0.1:${RECEIVER_PORT}/`);

  const logFolder = join(DATA_FOLDER, "logs");
  step("Starting the receiver");
  const receiver = await startReceiver({
    logFolder,
    settings: { PORT: String(RECEIVER_PORT), WEBHOOK_SECRET: receiverSecrets.join(",") },
  });
  started.defer(receiver.stop);
  const services: Service[] = [receiver];
  for (const name of ["api", "worker"]) {
    step(`Starting the ${name}`);
    const service = await startService(name, { logFolder, settings: forServices });
    started.defer(service.stop);
    services.push(service);
  }
  signal.throwIfAborted();

  const running = started.move();
  const unexpected = [
    database.ended.then(() => "Postgres"),
    ...services.map(({ name, ended }) => ended.then(() => `the ${name}`)),
  ];
  return {
    message: closingMessage({ url, key, queryId, logFolder }),
    /** What the example receiver prints, from its first delivery on. */
    received: receiver.lines,
    /** Resolves with the name of what ended without being asked to. */
    ended: Promise.race(unexpected),
    stop: () => running.disposeAsync(),
  };
}

async function seed(forServices: Record<string, string>, receiverUrl: string) {
  const settings = readSettings(z.object(sharedSettings), environmentWith(forServices));
  const deps = openDeps({ settings, clock: systemClock, onError: () => {} });
  try {
    return await seedDemo(deps, { duckdbFolder: settings.DUCKDB_FOLDER, receiverUrl });
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error;
    throw new StartError(
      "The database holds secrets that were sealed with other keys; start with the SEALING_KEYS or the DATA_FOLDER of then, or with another database.",
      { cause: error },
    );
  } finally {
    await closeDeps(deps);
  }
}
