import { systemClock } from "@querybell/domain";
import { runUntilStopped } from "@querybell/runtime";
import { startWorkerProcess } from "./start.ts";

await runUntilStopped(() => startWorkerProcess(systemClock));
