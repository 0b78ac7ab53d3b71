import { mergeConfig } from "vitest/config";
import shared from "../../vitest.shared.ts";

// Each file has servers of its own, which belong to the module `embedded.fixture.ts`.
export default mergeConfig(shared, { test: { isolate: true } });
