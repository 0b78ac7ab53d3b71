import type { DedupeStore } from "./dedupe.ts";
import type { ParsedSecret } from "./secrets.ts";

const secretsOfUnnamed = new WeakMap<object, Set<string>>();

/**
 * Warns of a second receiver without a name on one store. Receivers with a secret in common belong to one endpoint, be
 * it mounted twice.
 */
export function warnIfShared(store: DedupeStore, secrets: readonly ParsedSecret[]): void {
  const rows = store.rows ?? store;
  const known = secretsOfUnnamed.get(rows) ?? new Set<string>();
  const given = secrets.map(({ bytes }) => bytes.join());
  const isOther = known.size > 0 && !given.some((secret) => known.has(secret));
  for (const secret of given) known.add(secret);
  secretsOfUnnamed.set(rows, known);
  if (!isOther) return;
  console.warn(
    "Two webhook receivers without a name share one dedupe store. An event goes to each endpoint under the same id, " +
      "so one of them takes the other's events for duplicates and never handles them. Name each: " +
      'createReceiver({ endpoint: "billing", … }).',
  );
}
