import { randomBytes } from "node:crypto";

/** A readable name for commands and logs: `acme-shop-3f9a2c`. The random suffix makes it unique. */
export function newSlug(name: string): string {
  const words = name
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|(?<!-)-+$/g, "")
    .slice(0, 40);
  const suffix = randomBytes(3).toString("hex");
  return words ? `${words}-${suffix}` : `organization-${suffix}`;
}
