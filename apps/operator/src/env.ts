import { readSettings, sharedSettings } from "@querybell/runtime";
import { z } from "zod";

const OperatorSettings = z.object({
  ...sharedSettings,
  /** A database for `backup check`, which leaves no rows in it. */
  CHECK_DATABASE_URL: sharedSettings.DATABASE_URL.optional(),
});

export const readOperatorSettings = () => readSettings(OperatorSettings, process.env);
