import { mergeConfig } from "vitest/config";
import shared from "../../vitest.shared.ts";

export default mergeConfig(shared, {
  test: {
    globalSetup: ["./src/testing/postgres-server.ts", "./src/testing/trino/control.ts"],
    // Each file has separate databases, which belong to the module `real-databases.ts`.
    isolate: true,
  },
});
