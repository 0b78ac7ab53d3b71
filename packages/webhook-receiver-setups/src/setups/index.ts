import { bundledSetups } from "./bundled-setups.ts";
import { nextSetups } from "./next-setups.ts";
import { scriptSetups } from "./script-setups.ts";
import type { Setup } from "./setup.ts";

export const setups: Setup[] = [...scriptSetups, ...nextSetups, ...bundledSetups];
