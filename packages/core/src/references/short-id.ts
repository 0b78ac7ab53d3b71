import { randomInt } from "node:crypto";
import { shortIdAlphabet, shortIdLength } from "@querybell/domain";

/** 50 random bits: with a million references, a new one collides with a probability of one in a billion. */
export const newShortId = (): string =>
  Array.from({ length: shortIdLength }, () => shortIdAlphabet[randomInt(shortIdAlphabet.length)]).join("");
