export { WorkerSettings } from "./env.ts";
export { startWorker } from "./worker.ts";
