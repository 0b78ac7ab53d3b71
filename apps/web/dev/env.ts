import { z } from "zod";

const Port = z.coerce.number().int();

/** The settings of the pages in development, as `pnpm dev` gives them. */
const DevSettings = z.object({
  /** The port that people open. */
  PORT: Port,
  API_PORT: Port,
  /** The address that people open. */
  PUBLIC_URL: z.url(),
  /** Where the api finds the HTML page and the list of pages. */
  PAGES_FOLDER: z.string(),
  /** Where Vite keeps the packages that it has bundled. */
  CACHE_FOLDER: z.string(),
});

export const readDevSettings = () => DevSettings.parse(process.env);
