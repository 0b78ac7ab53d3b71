import { z } from "zod";

// Set by `pnpm fuzz`. The defaults are those of `npm test`: always the same calls, in less than half a minute.
const FuzzSettings = z.object({
  FUZZ_SEED: z.coerce.number().int().default(1),
  FUZZ_CALLS: z.coerce.number().int().min(1).default(2),
  FUZZ_SECONDS: z.coerce.number().min(0).default(3_600),
  FUZZ_ROUNDS: z.coerce.number().int().min(1).default(1),
  FUZZ_ONLY: z.string().default(""),
});

export function readFuzzSettings() {
  const { FUZZ_SEED, FUZZ_CALLS, FUZZ_SECONDS, FUZZ_ROUNDS, FUZZ_ONLY } = FuzzSettings.parse(process.env);
  return {
    seed: FUZZ_SEED,
    callsPerOperation: FUZZ_CALLS,
    seconds: FUZZ_SECONDS,
    rounds: FUZZ_ROUNDS,
    only: FUZZ_ONLY,
  };
}
