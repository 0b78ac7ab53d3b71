import { type Caller, inputMessages, isAtLeast, type Scope } from "@querybell/domain";
import { z } from "zod";
import { type Context, type OrganizationAccess, requireMember } from "../trpc/context.ts";
import { invalidInput, refuseMalformedInput } from "../trpc/input-checks.ts";

/** One call of a tool. */
export interface ToolCall {
  context: Context;
  caller: Caller;
  /** Aborted when the client cancels the call or leaves. */
  signal: AbortSignal;
  /** Tells the client how the call proceeds, if it wants to know. */
  report(message: string): Promise<void>;
  /** Runs work in a slot of the organization's requests. */
  inSlot<Answer>(work: () => Promise<Answer>): Promise<Answer>;
}

/** What a tool answers: a sentence, and the same as data. */
export interface ToolAnswer<Content = unknown> {
  headline: string;
  content: Content;
}

/** What a tool does, for clients that ask their user before some calls. */
type Effect = "reads" | "adds" | "starts work";

interface ToolRow<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string;
  description: string;
  effect: Effect;
  /** The lowest role of the key's owner. */
  access: OrganizationAccess;
  /** The scopes that the key needs, all of them. */
  scopes: readonly [Scope, ...Scope[]];
  input: Input;
  output: Output;
  /** Whether the organization allows it, where that is not always so. */
  isOffered?(context: Context, caller: Caller): Promise<boolean>;
  /** Calls the use cases. */
  run(call: ToolCall, input: z.output<Input>): Promise<ToolAnswer<z.input<Output>>>;
}

/** The definition of a tool, as `tools/list` answers it. */
interface ToolDefinition {
  name: string;
  description: string;
  inputSchema: { type: "object" };
  outputSchema: { type: "object" };
  annotations: Record<string, boolean>;
}

export interface Tool {
  definition: ToolDefinition;
  /** Whether it is listed for a key, and can be called. */
  isAllowedTo(context: Context, caller: Caller): Promise<boolean>;
  /** Checks role, scopes and input, and runs the tool. The content has only the fields of the output schema. */
  run(call: Omit<ToolCall, "caller">, input: unknown): Promise<ToolAnswer>;
}

const annotations: Record<Effect, Record<string, boolean>> = {
  reads: { readOnlyHint: true, openWorldHint: false },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  "starts work": { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
};

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>({
  name,
  description,
  effect,
  access,
  scopes,
  input: inputSchema,
  output,
  isOffered = async () => true,
  run,
}: ToolRow<Input, Output>): Tool {
  return {
    definition: {
      name,
      description,
      inputSchema: toJsonSchema(inputSchema),
      outputSchema: toJsonSchema(output),
      annotations: annotations[effect],
    },
    async isAllowedTo(context, caller) {
      const { role, via } = caller;
      if (via.kind !== "key" || !scopes.every((scope) => via.scopes.includes(scope))) return false;
      return isAtLeast(role, access) && isOffered(context, caller);
    },
    async run(call, given) {
      const [first, ...others] = scopes;
      const caller = requireMember(call.context, { access, scope: first });
      for (const scope of others) requireMember(call.context, { access, scope });
      refuseMalformedInput(given);
      const { data, error } = inputSchema.safeParse(given, inputMessages);
      if (error) throw invalidInput(error);
      const { headline, content } = await run({ ...call, caller }, data);
      return { headline, content: output.parse(content) };
    },
  };
}

/** As short as possible, because every model that uses the server reads all definitions. */
export function toJsonSchema(schema: z.ZodObject): { type: "object" } {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return { ...json, type: "object" };
}
