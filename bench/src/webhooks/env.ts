import { readSettings, sharedSettings } from "@querybell/runtime";
import { z } from "zod";

export const readEmitterSettings = () => readSettings(z.object(sharedSettings), process.env);
