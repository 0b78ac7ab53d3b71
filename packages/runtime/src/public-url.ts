import { z } from "zod";

/** The origin under which the product is served. It is served at the root, so nothing can follow the host and port. */
export const PublicUrl = z
  .string()
  .transform((text, context) => {
    const message = whyInvalid(text);
    if (message === undefined) return new URL(text).origin;
    context.issues.push({ code: "custom", input: text, message, continue: false });
    return z.NEVER;
  })
  .describe("The URL under which users open the product, also in permalinks: without a path");

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
