import { type Recipe, receiverOptionsIn } from "./readme.ts";

/** The receivers of the README: of the recipe, one that deduplicates, and one during and after a secret rotation. */
export const variants = ["written", "deduplicating", "rotating", "rotated"] as const;
export type Variant = (typeof variants)[number];

export interface Secrets {
  secret: string;
  newSecret: string;
}

const hourMs = 3_600_000;

/** The environment variables of a variant. */
export function environmentOf(variant: Variant, { secret, newSecret }: Secrets): Record<string, string> {
  const overlapEnds = Date.now() + (variant === "rotated" ? -hourMs : hourMs);
  return {
    WEBHOOK_SECRET: secret,
    WEBHOOK_SECRET_NEW: newSecret,
    WEBHOOK_OVERLAP_ENDS: new Date(overlapEnds).toISOString(),
  };
}

/** Replaces the options of a recipe's receiver with those of another example of the README. */
export function inVariant(recipe: Recipe, variant: Variant): string {
  if (variant === "written") return recipe.code;
  const example = receiverOptionsIn(variant === "deduplicating" ? "memoryDedupe" : "overlapEnds");
  const written = /createReceiver\(\{ secrets: (?:process\.)?env\.WEBHOOK_SECRET \}\)/;
  if (!written.test(recipe.code)) throw new Error(`The recipe ${recipe.heading} makes no receiver.`);
  return [example.statements, recipe.code.replace(written, () => `createReceiver(${example.options})`)].join(
    "\n",
  );
}
