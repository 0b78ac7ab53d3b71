import { globSync, readFileSync, rmSync } from "node:fs";
import { relative, resolve } from "node:path";
import { Stryker } from "@stryker-mutator/core";
import { repository } from "../checks.ts";
import type { MutationResult, Survivor } from "./survivor.ts";

type MutantResult = Awaited<ReturnType<Stryker["runMutationTest"]>>[number];

interface MutatedPackage {
  folder: string;
  /** The files to change, as patterns below the folder. */
  files: string[];
}

export const mutatedPackages: Record<string, MutatedPackage> = {
  sealing: { folder: "packages/sealing", files: ["src/**/*.ts", "!src/**/*.test.ts"] },
  cursors: { folder: "packages/cursors", files: ["src/**/*.ts", "!src/**/*.test.ts"] },
  guard: { folder: "packages/guard", files: ["src/**/*.ts", "!src/**/*.test.ts", "!src/testing/**"] },
  receiver: {
    folder: "packages/webhook-receiver",
    files: [
      "src/index.node.ts",
      "src/index.web.ts",
      "src/memory.ts",
      "src/lib/{captured-request,dedupe,delivery,encodings,event,headers,hmac.web,receiver,secrets,signed-headers}.ts",
    ],
  },
};

/** Has Stryker change a package's code, and run the package's tests for each change. */
export async function testPackage(name: string): Promise<MutationResult> {
  const { folder, files } = mutatedPackages[name] ?? { folder: "", files: [] };
  process.chdir(resolve(repository, folder));
  const results = await new Stryker({
    mutate: files,
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner"],
    // The tests of a workspace need its links between packages, so the files are changed where they are and
    // restored at the end. Do not edit them meanwhile.
    inPlace: true,
    coverageAnalysis: "perTest",
    concurrency: 1,
    reporters: ["dots"],
    disableTypeChecks: false,
    tempDirName: resolve(repository, ".data/mutation"),
  }).runMutationTest();
  // A test runner that was stopped because a test hung leaves its file behind.
  for (const left of globSync("stryker-setup-*.js")) rmSync(left);
  const counted = results
    .filter(({ status }) => countedStatuses.has(status))
    .map(withSurvivor)
    .filter(isOfCode);
  const survivors = counted.filter(({ status }) => status === "Survived" || status === "NoCoverage");
  return { mutants: counted.length, survivors: survivors.map(({ survivor }) => survivor) };
}

const countedStatuses = new Set(["Killed", "Timeout", "Survived", "NoCoverage"]);

const withSurvivor = (result: MutantResult) => ({ ...result, survivor: toSurvivor(result) });

/** The wording of a message is not tested. A text without spaces, such as a code, counts. */
const isOfCode = ({ mutatorName, survivor }: ReturnType<typeof withSurvivor>): boolean =>
  mutatorName !== "StringLiteral" || !/^\S+ \S+ \S/.test(survivor.change.split(" → ")[0] ?? "");

function toSurvivor({ fileName, location: { start, end }, replacement = "" }: MutantResult): Survivor {
  const path = resolve(fileName);
  const lines = readFileSync(path, "utf8").split("\n");
  const covered = lines.slice(start.line - 1, end.line);
  const [first = ""] = covered;
  const before = covered
    .map((line, at) =>
      line.slice(at === 0 ? start.column - 1 : 0, at === covered.length - 1 ? end.column - 1 : undefined),
    )
    .join("\n");
  return {
    file: relative(repository, path),
    line: first.trim(),
    change: `${inOneLine(before)} → ${inOneLine(replacement)}`,
  };
}

const inOneLine = (code: string): string => code.replace(/\s+/g, " ").trim();
