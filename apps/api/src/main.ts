import { systemClock } from "@querybell/domain";
import { runUntilStopped } from "@querybell/runtime";
import { startApi } from "./start.ts";

await runUntilStopped(() => startApi(systemClock));
