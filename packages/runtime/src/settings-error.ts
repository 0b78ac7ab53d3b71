/** Invalid settings. The message is for the person who starts the process. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}
