export { type AskOptions, askModel } from "./ask-model.ts";
export { createModelGuard, type ModelGuard, type ModelServer } from "./guarded-fetch.ts";
export {
  estimateRequest,
  estimateTokens,
  type ModelMessage,
  type ModelTool,
  type ToolCall,
} from "./messages.ts";
export type { TokenUsage } from "./stream-answer.ts";
