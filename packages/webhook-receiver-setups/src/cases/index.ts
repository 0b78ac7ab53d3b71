import { acceptedCases } from "./accepted.ts";
import type { Case } from "./case.ts";
import { refusedCases } from "./refused.ts";
import { repeatedCases } from "./repeated.ts";

/** The cases of every set-up, as the kit's README promises. */
export const cases: Case[] = [...acceptedCases, ...refusedCases, ...repeatedCases];
