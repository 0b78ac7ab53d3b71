import { readSettings, sharedSettings } from "@querybell/runtime";
import { z } from "zod";

const OperatorSettings = z.object(sharedSettings);

export const readOperatorSettings = () => readSettings(OperatorSettings, process.env);
