import { toAppError } from "@querybell/core";
import { systemClock } from "@querybell/domain";
import { openDeps, SettingsError } from "@querybell/runtime";
import { readOperatorSettings } from "./env.ts";
import { CommandError, runCommand } from "./run-command.ts";

try {
  const answer = await runCommand(process.argv.slice(2), () =>
    openDeps({ settings: readOperatorSettings(), clock: systemClock, onError: () => {} }),
  );
  console.log(answer);
} catch (error) {
  const known = error instanceof CommandError || error instanceof SettingsError ? error : toAppError(error);
  console.error(known ? known.message : error);
  process.exitCode = 1;
}
