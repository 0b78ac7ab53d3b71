import { z } from "zod";

export const visitorsEntry = new URL("visitors-process.ts", import.meta.url);

/** What visitors are asked to do. */
export interface OpenPages {
  url: string;
  path: string;
  headers: Record<string, string>;
  perSecond: number;
}

/** How many pages a second they have opened. */
export const Opened = z.object({ reached: z.number() });
