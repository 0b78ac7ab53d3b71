export { getOperations } from "./get-operations.ts";
export { recordProcess, removeProcess } from "./processes.ts";
export { readOrganizationQueues } from "./queues.ts";
