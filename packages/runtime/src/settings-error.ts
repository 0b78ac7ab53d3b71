/** Settings that cannot be used, as sentences for the person who starts the process. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}
