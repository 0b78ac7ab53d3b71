export { type ChatRequest, lastToolTexts, startModelServer, type Turn } from "./model-server.ts";
