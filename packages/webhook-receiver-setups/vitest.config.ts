import { mergeConfig } from "vitest/config";
import shared from "../../vitest.shared.ts";

export default mergeConfig(shared, {
  test: { globalSetup: ["tests/install-tarball.ts", "@querybell/test-database/postgres"] },
});
