export { listRestCalls } from "./list-rest-calls.ts";
export { createRestCallRecorder, type RestCallRecorder } from "./record-rest-call.ts";
