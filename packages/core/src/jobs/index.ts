export { type QueueState, readQueueState } from "./queue-state.ts";
export { readRunQueues } from "./run-queues.ts";
export {
  countLockedJobs,
  countWorkers,
  recordHeartbeats,
  releaseJobsOfDeadWorkers,
} from "./worker-heartbeats.ts";
