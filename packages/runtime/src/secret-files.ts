import { readFileSync } from "node:fs";
import { SettingsError } from "./settings-error.ts";

type Environment = Record<string, string | undefined>;

/** Settings whose value may be in a file: `SEALING_KEYS_FILE` names the file with the value of `SEALING_KEYS`. */
const secretSettings = [
  "DATABASE_URL",
  "SEALING_KEYS",
  "SMTP_URL",
  "MODEL_API_KEY",
  "METRICS_TOKEN",
] as const;

export const fileSettingOf = (name: string): string => `${name}_FILE`;

export const fileSettings = secretSettings.map(fileSettingOf);

/** The environment with the secrets that are in files, as container platforms mount them. */
export function readSecretFiles(environment: Environment): Environment {
  const read = { ...environment };
  for (const name of secretSettings) {
    const path = environment[fileSettingOf(name)];
    if (!path) continue;
    // With both, nobody could tell from the settings which one counts.
    if (environment[name]) {
      throw new SettingsError(`${name} and ${fileSettingOf(name)} are both set. Set one of them.`);
    }
    read[name] = readSecret(name, path);
  }
  return read;
}

function readSecret(name: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw new SettingsError(
      `The file that ${fileSettingOf(name)} names cannot be read (${code}). Check that it exists, and that the user of this process may read it.`,
    );
  }
  const value = text.trim();
  if (value === "") {
    throw new SettingsError(`The file that ${fileSettingOf(name)} names is empty. Write the value into it.`);
  }
  return value;
}
