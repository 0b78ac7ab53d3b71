import { checkSealedValues, resealValues, type SealedValues } from "@querybell/core/operator";
import type { Command } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { countOf } from "./count-of.ts";

export const keyCommands: Command[] = [
  {
    words: ["keys", "check"],
    summary: "Counts the secrets that each key has sealed, and those that cannot be opened.",
    options: {},
    run: async ({ deps }) => {
      const sealed = await checkSealedValues(deps, deps.db.pool);
      const lines = sealed.map(
        ({ keyId, kind, count, unopened }) =>
          `${keyId}\t${countOf(count, kind.one, kind.many)}${unopened > 0 ? `, of which ${unopened} cannot be opened` : ""}`,
      );
      const lost = describeLost(sealed);
      if (lost.length > 0) throw new CommandError([...lines, ...lost].join("\n"));
      if (lines.length === 0) return "Nothing is sealed yet.";
      return [...lines, describeUnneeded(deps.sealer.keyIds, sealed)].join("\n");
    },
  },
  {
    words: ["reseal"],
    summary: "Seals every secret with the first key of SEALING_KEYS, while the product runs.",
    options: {},
    run: async ({ deps }) => {
      const results = await resealValues(deps, deps.db.pool);
      const lines = results
        .filter(({ resealed }) => resealed > 0)
        .map(({ kind, resealed }) => `Sealed ${countOf(resealed, kind.one, kind.many)}.`);
      const sealed = await checkSealedValues(deps, deps.db.pool);
      const lost = describeLost(sealed);
      if (lost.length > 0) throw new CommandError([...lines, ...lost].join("\n"));
      return [...lines, describeUnneeded(deps.sealer.keyIds, sealed)].join("\n");
    },
  },
];

/** Which keys can go. */
function describeUnneeded(
  [first = "", ...others]: readonly string[],
  sealed: readonly SealedValues[],
): string {
  const used = new Set(sealed.map(({ keyId }) => keyId));
  const inUse = others.filter((id) => used.has(id));
  if (inUse.length > 0)
    return `Something is sealed with ${inUse.join(", ")}. Restart every process with ${first} in front; then \`reseal\` seals everything with it.`;
  if (others.length === 0) return `Everything is sealed with ${first}.`;
  return `Everything is sealed with ${first}, and nothing with ${others.join(", ")}. An old key can go from SEALING_KEYS when no backup needs it; a new one goes in front.`;
}

/** For each key that cannot open what it has sealed: a sentence that says what to do. */
export function describeLost(sealed: readonly SealedValues[]): string[] {
  const lost = Map.groupBy(
    sealed.filter(({ unopened }) => unopened > 0),
    ({ keyId }) => keyId,
  );
  return [...lost].map(([keyId, values]) => {
    const what = values.map(({ kind, unopened }) => countOf(unopened, kind.one, kind.many)).join(", ");
    const why = values.every(({ hasKey }) => hasKey)
      ? `The key ${keyId} of SEALING_KEYS cannot open ${what}. It may be another key than the original one: set that one`
      : `The key ${keyId} is not in SEALING_KEYS and sealed ${what}. Add it`;
    return `${why}. If it is lost, what it sealed must be entered again.`;
  });
}
