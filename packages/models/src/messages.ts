import type { LanguageModelV4FunctionTool, LanguageModelV4Message } from "@ai-sdk/provider";
import type { z } from "zod";

/** A tool call that a model requests. `input` should be the text of a JSON object, but may be invalid. */
export interface ToolCall {
  id: string;
  name: string;
  input: string;
}

interface ToolResult {
  id: string;
  name: string;
  text: string;
}

/** One message of a conversation with a model. */
export type ModelMessage =
  | { role: "system" | "user"; text: string }
  | { role: "assistant"; text: string; toolCalls: ToolCall[] }
  | { role: "tool"; results: ToolResult[] };

export interface ModelTool {
  name: string;
  description: string;
  /** As a JSON schema. */
  input: z.core.JSONSchema.BaseSchema;
}

export const toPrompt = (messages: readonly ModelMessage[]): LanguageModelV4Message[] =>
  messages.map(toMessage);

function toMessage(message: ModelMessage): LanguageModelV4Message {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.text };
    case "user":
      return { role: "user", content: [{ type: "text", text: message.text }] };
    case "assistant":
      return {
        role: "assistant",
        content: [
          ...(message.text === "" ? [] : [{ type: "text" as const, text: message.text }]),
          ...message.toolCalls.map(({ id, name, input }) => ({
            type: "tool-call" as const,
            toolCallId: id,
            toolName: name,
            input: toObject(input),
          })),
        ],
      };
    case "tool":
      return {
        role: "tool",
        content: message.results.map(({ id, name, text }) => ({
          type: "tool-result" as const,
          toolCallId: id,
          toolName: name,
          output: { type: "text" as const, value: text },
        })),
      };
  }
}

/** Servers refuse arguments that are no JSON object, even if their own model wrote them. */
function toObject(input: string): unknown {
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}

export const toFunctionTool = ({ name, description, input }: ModelTool): LanguageModelV4FunctionTool => {
  const { $schema: _, ...inputSchema } = input;
  return {
    type: "function",
    name,
    description,
    inputSchema: inputSchema as LanguageModelV4FunctionTool["inputSchema"],
  };
};

/** A high estimate: a token has about four characters in English, and fewer in other languages. */
export const estimateTokens = (text: string): number => Math.ceil(text.length / 3);

/** Estimates a whole request: to reserve tokens before it is sent, and for servers that report no usage. */
export const estimateRequest = (messages: readonly ModelMessage[], tools: readonly ModelTool[]): number =>
  estimateTokens(JSON.stringify(messages)) + estimateTokens(JSON.stringify(tools));
