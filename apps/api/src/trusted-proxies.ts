import { isIP } from "node:net";
import { z } from "zod";

/** The names of networks that Fastify knows. */
const namedNetworks = ["loopback", "linklocal", "uniquelocal"];

/** Proxies separated by commas or white space, as Fastify takes them. */
export const TrustedProxies = z.string().transform((text, context) => {
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
