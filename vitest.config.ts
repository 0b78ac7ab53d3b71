import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: ["apps/*", "packages/*", "prisma"],
    // Two cores: more files at once only wait for each other.
    maxWorkers: 2,
  },
});
