export type { JudgedRun, JudgeTask } from "@querybell/conditions";
export { type ChangedRows, readChangedRows } from "./changed-rows.ts";
export type { ComputeOutcome, ComputeRequest, StoredResult } from "./computing-hosts.ts";
export type {
  ChartResult,
  CompletedRun,
  DatabaseRequest,
  HostResolution,
  PartOutcome,
  RunRequest,
} from "./database-hosts.ts";
export type { HostExit, TaskOptions, WaitOptions } from "./engine-host.ts";
export { createEngineHosts, type EngineHosts, type EngineHostsOptions } from "./engine-hosts.ts";
export { toTaskError } from "./failures.ts";
export { findProgramFiles } from "./host-program.ts";
export { findIsolation, IsolationError, isolationSettings } from "./isolation/find-isolation.ts";
export type { Isolation } from "./isolation/isolation.ts";
export type { EngineFailure } from "./messages.ts";
export type { DrawOutcome, DrawRequest } from "./pictures/drawing-hosts.ts";
export type { DashboardPictureRequest } from "./pictures/picture-request.ts";
export type { KnownServers } from "./server-attempt.ts";
