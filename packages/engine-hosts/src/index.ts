export type { HostExit, TaskOptions, WaitOptions } from "./engine-host.ts";
export {
  type CompletedRun,
  type ComputeOutcome,
  type ComputeRequest,
  createEngineHosts,
  type DatabaseRequest,
  type EngineHosts,
  type EngineHostsOptions,
  type HostResolution,
  type RunOutcome,
  type RunRequest,
  type StoredResult,
} from "./engine-hosts.ts";
export { findIsolation, IsolationError, isolationSettings } from "./isolation/find-isolation.ts";
export type { Isolation } from "./isolation/isolation.ts";
export { findProgramFiles } from "./isolation/program-files.ts";
export type { EngineFailure } from "./messages.ts";
export type { KnownServers, WithheldReason } from "./server-attempt.ts";
export type { TableChangeOutcome, UploadPreviewOutcome } from "./uploads/upload-hosts.ts";
