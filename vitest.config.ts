import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// The packages with the longest files, so that the last files to end are short ones.
const first = ["local", "api", "engines", "worker", "webhook-receiver-setups"];
const killsNode = "packages/engines/src/trino/lost-worker.test.ts";

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId, project }: TestSpecification): number {
  // All other tests on Trino use the same cluster.
  if (moduleId.endsWith(killsNode)) return -1;
  const at = first.indexOf(project.name.replace("@querybell/", ""));
  return at === -1 ? first.length : at;
}

export default defineConfig({
  test: { projects: ["apps/*", "packages/*", "prisma"], sequence: { sequencer: LongestFirst } },
});
