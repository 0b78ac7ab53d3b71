export { type QueueState, readQueueState } from "./queue-state.ts";
export { readRunQueues } from "./run-queues.ts";
export { beat, countLockedJobs, releaseJobsOfDeadWorkers } from "./worker-heartbeats.ts";
