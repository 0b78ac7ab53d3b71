import { z } from "zod";

/** An origin under which something is served: at its root, so nothing can follow the host and port. */
export const Origin = z.string().transform((text, context) => {
  const message = whyInvalid(text);
  if (message === undefined) return new URL(text).origin;
  context.issues.push({ code: "custom", input: text, message, continue: false });
  return z.NEVER;
});

function whyInvalid(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !["http:", "https:"].includes(url.protocol)) {
    return "must be an http or https address, such as https://querybell.acme.example";
  }
  const extras = [
    ...(url.username || url.password ? ["a user or password"] : []),
    ...(/^\/*$/.test(url.pathname) ? [] : ["a path"]),
    ...(url.search ? ["a query"] : []),
    ...(url.hash ? ["a fragment"] : []),
  ];
  return extras.length > 0
    ? `must not have ${extras.join(" or ")}: Querybell is served at the root of an address, such as https://querybell.acme.example`
    : undefined;
}

export const PostgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, { error: "must begin with postgresql://", abort: true })
  .refine((text) => !namesSeveralHosts(text), {
    error:
      "must name one host. For a primary and its standbys, write an address that leads to the primary: see docs/high-availability.md",
    abort: true,
  })
  .refine(
    URL.canParse,
    "must look like postgresql://user:password@host:5432/database, with special characters written as %23 and the like",
  );

/** Whether it has a list of hosts, as libpq takes it. */
function namesSeveralHosts(url: string): boolean {
  const [, authority = ""] = /^\w+:\/\/([^/?#]*)/.exec(url) ?? [];
  return authority.slice(authority.lastIndexOf("@") + 1).includes(",");
}

/** Settings of every process, the public one included. */
export const processSettings = {
  NODE_ENV: z
    .enum(["production", "development", "test"])
    .default("production")
    .describe("The mode: `production` is the strictest"),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info")
    .describe("The minimum level of log lines"),
  PUBLIC_PAGES_URL: Origin.describe(
    "The URL under which anybody opens [public pages](public-links.md): without a path. Without it, there are no public links",
  ),
};
