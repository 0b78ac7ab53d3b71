import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// The packages with the longest files, so that the last files to end are short ones.
const first = ["local", "core", "worker", "api", "webhook-receiver-setups"];
const trinoTests =
  /packages\/engine(?:s|-hosts)\/|worker\/src\/dead-workers\.test|core\/src\/(runs\/execute-run|databases\/trino-databases)\.test|walks\/trino\.test/;

/** Whether a test file may use the Trino cluster. They run first, because an idle cluster takes a fifth of a core. */
export const usesTrino = (moduleId: string): boolean => trinoTests.test(moduleId);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId, project }: TestSpecification): number {
  if (usesTrino(moduleId)) return -1;
  const at = first.indexOf(project.name.replace("@querybell/", ""));
  return at === -1 ? first.length : at;
}

export default defineConfig({
  test: { projects: ["apps/*", "bench", "packages/*", "prisma"], sequence: { sequencer: LongestFirst } },
});
