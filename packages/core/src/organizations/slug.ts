import { randomBytes } from "node:crypto";

/** A readable name for commands and logs: `acme-shop-3f9a2c`. The random end keeps equal names apart. */
export function newSlug(name: string): string {
  const words = name
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|(?<!-)-+$/g, "")
    .slice(0, 40);
  const end = randomBytes(3).toString("hex");
  return words ? `${words}-${end}` : `organization-${end}`;
}
