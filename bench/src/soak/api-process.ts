// The api, with a clock that jumps.
import { startApi } from "@querybell/api/start";
import { runWithJumpingClock } from "./jumping-clock.ts";

await runWithJumpingClock(startApi);
