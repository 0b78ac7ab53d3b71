export { type ChatRequest, lastToolTexts, startModelServer, type Turn } from "./model-server.ts";
export { realModel } from "./real-model.ts";
