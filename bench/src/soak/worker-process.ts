// A worker, with a clock that jumps.
import { startWorkerProcess } from "@querybell/worker/start";
import { runWithJumpingClock } from "./jumping-clock.ts";

await runWithJumpingClock(startWorkerProcess);
