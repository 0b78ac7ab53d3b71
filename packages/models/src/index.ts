export { type AskOptions, askModel } from "./ask-model.ts";
export {
  createGuardedFetch,
  createModelGuard,
  type ModelGuard,
  type ModelServer,
  RefusedUrlError,
  type UrlGuard,
} from "./guarded-fetch.ts";
export {
  estimateRequest,
  estimateTokens,
  type ModelMessage,
  type ModelTool,
  type ToolCall,
} from "./messages.ts";
export type { TokenUsage } from "./stream-answer.ts";
