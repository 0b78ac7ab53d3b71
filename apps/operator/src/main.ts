import { toAppError } from "@querybell/core";
import { openDeps } from "@querybell/core/open-deps";
import { SettingsError, systemClock } from "@querybell/domain";
import { CommandError } from "./command-error.ts";
import { readOperatorSettings } from "./env.ts";
import { runCommand } from "./run-command.ts";

try {
  const answer = await runCommand(process.argv.slice(2), () => {
    const { CHECK_DATABASE_URL: checkUrl, ...settings } = readOperatorSettings();
    const open = (DATABASE_URL: string) => ({
      deps: openDeps({ settings: { ...settings, DATABASE_URL }, clock: systemClock, onError: () => {} }),
      databaseUrl: DATABASE_URL,
    });
    const openCheckDatabase = checkUrl === undefined ? undefined : () => open(checkUrl);
    return { ...open(settings.DATABASE_URL), openCheckDatabase };
  });
  console.log(answer);
} catch (error) {
  const known = error instanceof CommandError || error instanceof SettingsError ? error : toAppError(error);
  console.error(known ? known.message : error);
  process.exitCode = 1;
}
