import { acceptedCases } from "./accepted.ts";
import type { Case } from "./case.ts";
import { refusedCases } from "./refused.ts";
import { repeatedCases } from "./repeated.ts";

/** What every set-up must answer, as the kit's README says. */
export const cases: Case[] = [...acceptedCases, ...refusedCases, ...repeatedCases];
