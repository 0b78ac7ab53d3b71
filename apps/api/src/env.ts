import { fileURLToPath } from "node:url";
import { readSettings, refuseUnsafeProduction, sharedSettings } from "@querybell/runtime";
import { z } from "zod";
import { TrustedProxies } from "./trusted-proxies.ts";

export const ApiSettings = z
  .object({
    ...sharedSettings,
    HOST: z.string().default("127.0.0.1").describe("The address to listen on; 0.0.0.0 for every network"),
    PORT: z.coerce.number().int().min(0).max(65_535).default(4000).describe("The port to listen on"),
    RATE_LIMIT_PER_MINUTE: z.coerce
      .number()
      .int()
      .min(1)
      .default(600)
      .describe(
        "How many calls one API key or person can make to one process at once; as many more in each minute after, spread evenly",
      ),
    MAX_SUBSCRIPTIONS: z.coerce
      .number()
      .int()
      .min(1)
      .max(10_000)
      .default(50)
      .describe("Maximum open subscriptions of one API key or person to one process"),
    SHUTDOWN_DELAY_MS: z.coerce
      .number()
      .int()
      .min(0)
      .max(120_000)
      .default(0)
      .describe(
        "How many milliseconds after SIGTERM the api still accepts requests, while `/readyz` already says 503: longer than the proxy in front needs to notice that",
      ),
    TRUSTED_PROXIES: TrustedProxies.optional().describe(
      "Addresses or networks of the proxies in front, like `10.0.0.1, fd00::/8`; only their `X-Forwarded-For` gives the address of a client",
    ),
    WEB_FOLDER: z
      .string()
      .default(fileURLToPath(new URL("../../web/dist", import.meta.url)))
      .describe("The folder of the built web app; empty for an api that serves no pages"),
  })
  .superRefine(refuseUnsafeProduction);
export type ApiSettings = z.infer<typeof ApiSettings>;

export const readApiSettings = (): ApiSettings => readSettings(ApiSettings, process.env);
