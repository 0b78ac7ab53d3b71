// pnpm mutation [target…]: changes the code in many small ways, and checks that a test notices each change.
import { explainedSurvivors } from "./mutation/explained-survivors.ts";
import { testLeases } from "./mutation/lease-mutation.ts";
import { mutatedPackages, testPackage } from "./mutation/package-mutation.ts";
import type { Survivor } from "./mutation/survivor.ts";

const targets = [...Object.keys(mutatedPackages), "leases"];
const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !targets.includes(name));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(", ")}. Usage: pnpm mutation [${targets.join(" | ")}]…`);
  process.exit(2);
}

const keyOf = ({ file, line, change }: Survivor) => [file, line, change].join("\n");
const explained = new Set(explainedSurvivors.map(keyOf));
let unexplained = 0;

for (const target of chosen.length > 0 ? chosen : targets) {
  const startedAt = performance.now();
  const { mutants, survivors } = target === "leases" ? await testLeases() : await testPackage(target);
  const surprising = survivors.filter((survivor) => !explained.has(keyOf(survivor)));
  unexplained += surprising.length;
  for (const { file, line, change } of surprising) console.log(`survived in ${file}\n  ${line}\n  ${change}`);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(
    `${target}: ${mutants} mutants, ${mutants - survivors.length} killed, ${survivors.length - surprising.length} explained, ${surprising.length} survived (${seconds} s).`,
  );
}
if (unexplained > 0) {
  console.error("Write a test that fails for each, or say in mutation/explained-survivors.ts why none can.");
}
process.exitCode = unexplained > 0 ? 1 : 0;
