import type { Declaration } from "./declaration.ts";
import { parseWrittenNumber } from "./written-number.ts";

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const upWords = wordSet(
  "up rose rise rises rising risen grew grow grows growing growth increased increase increases more above higher gained " +
    "gain jumped climbed gestiegen stieg mehr über höher plus augmenté hausse subió más aumento",
);
const downWords = wordSet(
  "down fell fall falls falling fallen dropped drop drops declined decline declines decreased decrease decreases less " +
    "fewer below lower lost shrank gesunken sank weniger unter niedriger minus baissé baisse bajó menos",
);

/** Refuses a sentence with words for one direction only, if its declared changes all have the other one. */
export function checkDirections(text: string, declarations: readonly Declaration[]): string[] {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const says = {
    up: words.some((word) => upWords.has(word)),
    down: words.some((word) => downWords.has(word)),
  };
  const directions = new Set(declarations.flatMap((declaration) => directionOf(declaration) ?? []));
  const contradicts = (said: "up" | "down", other: "up" | "down") =>
    says[said] && !says[other] && directions.has(other) && !directions.has(said);
  if (contradicts("up", "down") || contradicts("down", "up")) {
    return ["The words say the opposite direction of the declared change."];
  }
  return [];
}

function directionOf({ operation, direction, written }: Declaration): "up" | "down" | undefined {
  if (operation !== "difference" && operation !== "percentage_change") return undefined;
  const sign = parseWrittenNumber(written)?.sign;
  return direction ?? (sign === "-" ? "down" : sign === "+" ? "up" : undefined);
}
