import { availableParallelism } from "node:os";

/** For every instance: no temporary files, no extensions and secrets from outside, and limits. */
export const instanceSettings = (memoryBytes: number) => ({
  temp_directory: "",
  allow_persistent_secrets: "false",
  allow_community_extensions: "false",
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
  memory_limit: `${Math.ceil(memoryBytes / 1024 ** 2)}MiB`,
  threads: String(Math.min(4, availableParallelism())),
});
