import { join, resolve } from "node:path";
import { EngineIsolation, fileSettingOf, readSettings, sharedSettings } from "@querybell/runtime";
import { z } from "zod";

export const repository = resolve(import.meta.dirname, "../../..");

const { DATABASE_URL, SEALING_KEYS, PUBLIC_URL, PUBLIC_PAGES_URL } = sharedSettings;

const wrongPort = "must be a port, from 1 to 65535";
const Port = z.coerce.number(wrongPort).int(wrongPort).min(1, wrongPort).max(65_535, wrongPort);

const folderSetting = (fallback: string) =>
  z
    .string()
    .default(join(repository, fallback))
    .transform((folder) => resolve(folder));

/** The settings of `npm start`. Every other variable is passed on to the api and the worker unchanged. */
export const LocalSettings = z.object({
  DATABASE_URL: DATABASE_URL.optional(),
  SEALING_KEYS: SEALING_KEYS.optional(),
  PUBLIC_URL: PUBLIC_URL.optional(),
  PUBLIC_PAGES_URL,
  // Made for the embedded Postgres. For another database, without it there are no public pages.
  PUBLIC_DATABASE_URL: DATABASE_URL.optional(),
  // The sign-in of the demo, unless others are named.
  DEPLOYMENT_ADMINS: z.string().optional(),
  // Users who try it may have a database on the same machine.
  ANALYTICS_NETWORKS: z.string().default("127.0.0.0/8, ::1/128"),
  // The same holds for a model, such as one of Ollama.
  MODEL_NETWORKS: z.string().default("127.0.0.0/8, ::1/128"),
  ENGINE_ISOLATION: EngineIsolation,
  PORT: Port.default(4000),
  WORKER_PORT: Port.default(4001),
  RECEIVER_PORT: Port.default(4002),
  PUBLIC_PORT: Port.default(4003),
  DATA_FOLDER: folderSetting(".data"),
});
export type LocalSettings = z.infer<typeof LocalSettings>;

/**
 * The settings of `pnpm dev`: its ports and its folder are others, so that it can run beside `npm start`. Its ports
 * follow each other, so that PORT moves them all.
 */
export const devSettings = (firstPort: number) =>
  LocalSettings.extend({
    PORT: Port.default(firstPort),
    WORKER_PORT: Port.default(firstPort + 1),
    RECEIVER_PORT: Port.default(firstPort + 2),
    API_PORT: Port.default(firstPort + 3),
    PUBLIC_PORT: Port.default(firstPort + 4),
    DATA_FOLDER: folderSetting(".data/dev"),
  });
export type DevSettings = z.infer<ReturnType<typeof devSettings>>;

/** An invalid PORT is reported when the others are read. */
export const readDevSettings = (): DevSettings =>
  readSettings(devSettings(Port.catch(4100).parse(process.env.PORT)), process.env);

export const readLocalSettings = (environment: NodeJS.ProcessEnv): LocalSettings =>
  readSettings(LocalSettings, environment);

/** The environment for the child processes. A value that was read from a file here must not be read there again. */
export const environmentWith = (settings: Record<string, string>): NodeJS.ProcessEnv => ({
  ...process.env,
  ...Object.fromEntries(Object.keys(settings).map((name) => [fileSettingOf(name), undefined])),
  ...settings,
});
