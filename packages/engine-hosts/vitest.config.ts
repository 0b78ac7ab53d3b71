import { mergeConfig } from "vitest/config";
import shared from "../../vitest.shared.ts";

export default mergeConfig(shared, {
  test: {
    globalSetup: ["@querybell/engines/testing/postgres-server", "@querybell/engines/testing/trino-control"],
    // Each file has separate databases, which belong to the module `real-databases.ts` of the engines.
    isolate: true,
  },
});
