import { readFileSync } from "node:fs";
import { editDistance, inputMessages, SettingsError } from "@querybell/domain";
import type { z } from "zod";

type Environment = Record<string, string | undefined>;

/** Reads settings from the environment, and secrets from the files that it names. An empty value counts as absent. */
export function readSettings<Schema extends z.ZodObject>(
  schema: Schema,
  environment: Environment,
): z.infer<Schema> {
  const present = Object.fromEntries(
    Object.entries(readSecretFiles(environment)).filter(([, value]) => value),
  );
  const misspelled = findMisspelled(present, [...Object.keys(schema.shape), ...fileSettings]).map(
    ({ name, meant }) => `There is no setting ${name}. Did you mean ${meant}?`,
  );
  const read = schema.safeParse(present, inputMessages);
  if (read.success && misspelled.length === 0) return read.data;
  // The messages never contain the value of a secret.
  const invalid = (read.error?.issues ?? []).map(({ path, message }) => {
    const name = path.join(".");
    return present[name] ? `${name} ${message}.` : `${name} is not set.`;
  });
  const problems = [...misspelled, ...invalid];
  throw new SettingsError(`${problems.join(" ")} See docs/operating.md for the settings.`);
}

/** Settings whose value may be in a file: `SEALING_KEYS_FILE` names the file with the value of `SEALING_KEYS`. */
const secretSettings = [
  "DATABASE_URL",
  "CHECK_DATABASE_URL",
  "PUBLIC_DATABASE_URL",
  "SEALING_KEYS",
  "SMTP_URL",
  "MODEL_API_KEY",
  "OIDC_CLIENT_SECRET",
  "METRICS_TOKEN",
] as const;

export const fileSettingOf = (name: string): string => `${name}_FILE`;

const fileSettings = secretSettings.map(fileSettingOf);

/** The environment with the secrets that are in files, as container platforms mount them. */
function readSecretFiles(environment: Environment): Environment {
  const read = { ...environment };
  for (const name of secretSettings) {
    const path = environment[fileSettingOf(name)];
    if (!path) continue;
    // If both are set, it is unclear which one applies.
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

interface Misspelled {
  name: string;
  meant: string;
}

/** Shorter names, such as HOST and PORT, are similar to variables of other programs. */
const minLength = 8;
const maxEdits = (name: string): number => Math.min(3, Math.floor(name.length / 6));

/**
 * Variables that are probably misspelled settings: they differ from a setting that is not set in case or in a
 * few characters. Other unknown names are ignored, because the environment has variables of other programs
 * too.
 */
function findMisspelled(environment: Environment, settings: readonly string[]): Misspelled[] {
  const candidates = settings.filter((name) => name.length >= minLength && !environment[name]);
  return Object.keys(environment).flatMap((name) => {
    if (!environment[name] || settings.includes(name)) return [];
    const meant = candidates.find((candidate) => {
      const limit = maxEdits(candidate);
      return editDistance(name.toUpperCase(), candidate, limit) <= limit;
    });
    return meant === undefined ? [] : [{ name, meant }];
  });
}
