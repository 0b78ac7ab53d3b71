import { toAppError } from "@querybell/core";
import { openDeps } from "@querybell/core/open-deps";
import { SettingsError, systemClock } from "@querybell/domain";
import { CommandError } from "./command-error.ts";
import { readOperatorSettings } from "./env.ts";
import { runCommand } from "./run-command.ts";

try {
  const answer = await runCommand(process.argv.slice(2), () => {
    const settings = readOperatorSettings();
    const deps = openDeps({ settings, clock: systemClock, onError: () => {} });
    return { deps, databaseUrl: settings.DATABASE_URL };
  });
  console.log(answer);
} catch (error) {
  const known = error instanceof CommandError || error instanceof SettingsError ? error : toAppError(error);
  console.error(known ? known.message : error);
  process.exitCode = 1;
}
