import { readSettings, sharedSettings } from "@querybell/core";
import { z } from "zod";

export const readEmitterSettings = () => readSettings(z.object(sharedSettings), process.env);
