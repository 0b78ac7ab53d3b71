import { isIP } from "node:net";
import { fileURLToPath } from "node:url";
import { readSettings, refuseUnsafeProduction, sharedSettings } from "@querybell/runtime";
import { z } from "zod";

/** The names of networks that Fastify knows. */
const namedNetworks = ["loopback", "linklocal", "uniquelocal"];

/** Proxies separated by commas or white space, as Fastify takes them. */
const TrustedProxies = z.string().transform((text, context) => {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== "");
  for (const entry of entries.filter((candidate) => !isProxy(candidate))) {
    context.addIssue({
      code: "custom",
      message: `has "${entry}", which is neither an address nor a network like 10.0.0.0/8`,
    });
  }
  return entries.join(",") || undefined;
});

function isProxy(entry: string): boolean {
  if (namedNetworks.includes(entry)) return true;
  const [address = "", bits = "1", ...more] = entry.split("/");
  const maxBits = { 4: 32, 6: 128 }[isIP(address)] ?? 0;
  return more.length === 0 && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= maxBits;
}

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
        "How many calls one API key or person can make at once, to all api processes together; as many more in each minute after, spread evenly",
      ),
    MAX_SUBSCRIPTIONS: z.coerce
      .number()
      .int()
      .min(1)
      .max(10_000)
      .default(50)
      .describe("Maximum open subscriptions of one API key or person, to all api processes together"),
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
