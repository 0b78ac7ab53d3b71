import { join } from "node:path";
import { closeDeps, openDeps } from "@querybell/core/open-deps";
import { systemClock } from "@querybell/domain";
import { createPublicRole } from "@querybell/prisma";
import { chooseIsolation, readSettings, rebaseAfterRestore, sharedSettings } from "@querybell/runtime";
import { UnsealError } from "@querybell/sealing";
import { z } from "zod";
import { closingMessage } from "./closing-message.ts";
import {
  lockDataFolder,
  prepareDataFolder,
  readDemoKey,
  readOrCreateSealingKeys,
  writeDemoKey,
} from "./data-folder.ts";
import { migrate, openLocalDatabase } from "./database.ts";
import { demoSignIn, seedDemo } from "./demo/seed-demo.ts";
import { environmentWith, type LocalSettings } from "./env.ts";
import { requireFreePorts } from "./ports.ts";
import { type Service, type ServiceOptions, startReceiver, startService } from "./service.ts";
import { type LaunchCommand, StartError } from "./start-error.ts";

/** What differs between `npm start` and `pnpm dev`. */
export interface Launch {
  command: LaunchCommand;
  settings: LocalSettings;
  /** Every port that it listens on, by the setting that changes it. */
  ports: Record<string, number>;
  /** The port of the api. Users open the one in PORT. */
  apiPort: number;
  startApps(options: AppsOptions): Promise<Apps>;
}

export interface AppsOptions extends ServiceOptions {
  /** Stops what was added to it, in reverse order. */
  started: AsyncDisposableStack;
  onStep: (sentence: string) => void;
}

interface Apps {
  /** Those whose end ends everything. */
  services: Service[];
  /** For the message after the start. */
  note?: string | undefined;
}

interface StartOptions {
  onStep: (sentence: string) => void;
  /** Aborted by Ctrl-C: the start then ends after the current step. */
  signal: AbortSignal;
}

/** Starts everything in order. If a step fails, stops what was started, in reverse order. */
export async function start(launch: Launch, { onStep, signal }: StartOptions) {
  const step = (sentence: string) => {
    signal.throwIfAborted();
    onStep(sentence);
  };
  const { command, settings, ports } = launch;
  const { DATA_FOLDER, PORT, WORKER_PORT, RECEIVER_PORT, PUBLIC_PORT } = settings;
  await using started = new AsyncDisposableStack();

  step("Checking ports and folders");
  await requireFreePorts(ports, command);
  await prepareDataFolder(DATA_FOLDER, command);
  started.use(await lockDataFolder(DATA_FOLDER, command));
  const sealingKeys = settings.SEALING_KEYS ?? (await readOrCreateSealingKeys(DATA_FOLDER));

  const postgresFolder = join(DATA_FOLDER, "postgres");
  const postgresLog = join(postgresFolder, "postgres.log");
  const database = await openLocalDatabase(settings.DATABASE_URL, postgresFolder, step);
  started.defer(database.stop);
  step("Bringing the database up to date");
  await migrate(database.url);

  step("Choosing how to isolate engine hosts");
  const { ENGINE_ISOLATION } = settings;
  const DUCKDB_FOLDER = join(DATA_FOLDER, "duckdb");
  const isolation = await chooseIsolation({
    ENGINE_ISOLATION,
    NODE_ENV: "development",
    DUCKDB_FOLDER,
  });
  const url = settings.PUBLIC_URL ?? `http://localhost:${PORT}`;
  const publicDatabaseUrl =
    settings.PUBLIC_DATABASE_URL ??
    (database.superuserUrl && (await createPublicRole(database.superuserUrl)));
  const pagesUrl = settings.PUBLIC_PAGES_URL ?? `http://localhost:${PUBLIC_PORT}`;
  const forServices = {
    NODE_ENV: "development",
    REST_COMPATIBILITY: "live",
    ORGANIZATION_CREATION: "anybody",
    DEPLOYMENT_ADMINS: settings.DEPLOYMENT_ADMINS ?? demoSignIn.email,
    WEBHOOK_ALLOW_LOOPBACK: "1",
    DATABASE_URL: database.url,
    SEALING_KEYS: sealingKeys,
    PUBLIC_URL: url,
    ...(publicDatabaseUrl !== undefined && { PUBLIC_PAGES_URL: pagesUrl }),
    DUCKDB_FOLDER,
    ENGINE_ISOLATION: isolation.name,
    ANALYTICS_NETWORKS: settings.ANALYTICS_NETWORKS,
    MODEL_NETWORKS: settings.MODEL_NETWORKS,
    // The demo's password is public. Conda and development containers set HOST for other purposes.
    HOST: "127.0.0.1",
    PORT: String(launch.apiPort),
    WORKER_HOST: "127.0.0.1",
    WORKER_PORT: String(WORKER_PORT),
    // No proxy is in front.
    SHUTDOWN_DELAY_MS: "0",
  };
  step("Seeding the demo organization, its shop and its history");
  const receiverUrl = `http://127.0.0.1:${RECEIVER_PORT}/`;
  const demo = await seed(forServices, { receiverUrl, key: await readDemoKey(DATA_FOLDER) });
  if (demo) await writeDemoKey(DATA_FOLDER, demo.key);

  const logFolder = join(DATA_FOLDER, "logs");
  const services: Service[] = [];
  let receiver: Awaited<ReturnType<typeof startReceiver>> | undefined;
  if (demo) {
    step("Starting the receiver");
    const secrets = { PORT: String(RECEIVER_PORT), WEBHOOK_SECRET: demo.receiver.secrets.join(",") };
    receiver = await startReceiver({ logFolder, settings: secrets });
    started.defer(receiver.stop);
    services.push(receiver);
  }
  const apps = await launch.startApps({ started, onStep: step, logFolder, settings: forServices });
  services.push(...apps.services);
  if (publicDatabaseUrl !== undefined) {
    step("Starting the public pages");
    const forPublic = {
      ...{ NODE_ENV: "development", PUBLIC_PAGES_URL: pagesUrl, PUBLIC_DATABASE_URL: publicDatabaseUrl },
      ...{ PUBLIC_HOST: "127.0.0.1", PUBLIC_PORT: String(PUBLIC_PORT) },
    };
    services.push(
      started.adopt(await startService("public", { logFolder, settings: forPublic }), ({ stop }) => stop()),
    );
  }
  signal.throwIfAborted();

  const running = started.move();
  const unexpected = [
    database.ended.then(() => `Postgres ended unexpectedly; its log is ${postgresLog}`),
    ...services.map(async ({ name, logFile, ended }) => {
      const signal = await ended;
      return `the ${name} ${signal ? `was ended by ${signal}` : "ended unexpectedly"}; its log is ${logFile}`;
    }),
  ];
  return {
    message: closingMessage({ url, demo, logFolder, isolation: isolation.title, note: apps.note }),
    /** The output of the example receiver, from its first delivery on. */
    received: receiver?.lines,
    /** Resolves when a process ends unexpectedly, to a sentence that says which and why. */
    ended: Promise.race(unexpected),
    stop: () => running.disposeAsync(),
  };
}

async function seed(
  forServices: Record<string, string>,
  places: { receiverUrl: string; key: string | undefined },
) {
  const settings = readSettings(z.object(sharedSettings), environmentWith(forServices));
  const deps = openDeps({ settings, clock: systemClock, onError: () => {} });
  try {
    await rebaseAfterRestore(deps);
    return await seedDemo(deps, { duckdbFolder: settings.DUCKDB_FOLDER, ...places });
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error;
    throw new StartError(
      "The database holds secrets that were sealed with other keys. Start with the SEALING_KEYS or the DATA_FOLDER that it was created with, or with another database.",
      { cause: error },
    );
  } finally {
    await closeDeps(deps);
  }
}
