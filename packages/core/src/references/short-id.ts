import { randomInt } from "node:crypto";
import { shortIdAlphabet, shortIdLength } from "@querybell/domain";

/** Fifty bits of chance: among a million references, one in a billion new ones would meet another. */
export const newShortId = (): string =>
  Array.from({ length: shortIdLength }, () => shortIdAlphabet[randomInt(shortIdAlphabet.length)]).join("");
