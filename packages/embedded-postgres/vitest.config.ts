import { mergeConfig } from "vitest/config";
import shared from "../../vitest.shared.ts";

// The servers of a test file belong to the module `testing/embedded-test.ts`.
export default mergeConfig(shared, { test: { isolate: true } });
