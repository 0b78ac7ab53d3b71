import { runUntilStopped } from "@querybell/process";
import { startPublic } from "./start.ts";

await runUntilStopped(startPublic);
