import { dbTest } from "../testing/db-test.ts";
import { createSeededRandom } from "../testing/seeded-random.ts";
import { createRightsModel } from "./testing/rights-model.ts";

/** `pnpm rights-model` takes more steps, and prints the seed with which a failure is repeated. */
const { seed, steps } = {
  seed: Number(process.env.RIGHTS_MODEL_SEED ?? 1),
  steps: Number(process.env.RIGHTS_MODEL_STEPS ?? 2_000),
};

dbTest(
  `${steps} random changes of rights and reads show what the model allows, seed ${seed}`,
  { timeout: 24 * 3_600_000 },
  async ({ deps, make, clock }) => {
    const random = createSeededRandom(seed);
    const model = await createRightsModel({
      deps,
      make,
      random: () => random.below(2 ** 30) / 2 ** 30,
      advance: (milliseconds) => clock.advance(milliseconds),
    });
    for (let step = 0; step < steps; step++) {
      await model.step().catch((cause) => {
        throw new Error(`Step ${step} of seed ${seed}`, { cause });
      });
    }
  },
);
