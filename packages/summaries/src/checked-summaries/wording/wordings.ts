import type { Language } from "../slot.ts";
import { english } from "./english.ts";
import { french } from "./french.ts";
import { german } from "./german.ts";
import { spanish } from "./spanish.ts";
import type { Wording } from "./wording.ts";

export const wordings: Record<Language, Wording> = { en: english, de: german, fr: french, es: spanish };
