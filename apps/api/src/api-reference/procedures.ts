import { type ErrorCode, errorCodes, Scope } from "@querybell/domain";
import { z } from "zod";
import { cursorErrors, type DocumentedErrors, webhookErrors } from "../trpc/documented-errors.ts";
import { proceduresByPath } from "../trpc/router.ts";

const codes = Object.keys(errorCodes).filter((code): code is ErrorCode => code in errorCodes);

const Meta = z.strictObject({
  access: z.enum(["public", "person", "key", "viewer", "member", "admin"]),
  scope: Scope.optional(),
  runsOnly: z.boolean().default(false),
  needsWebhooks: z.boolean().default(false),
  waitsForEngine: z.boolean().default(false),
  dangerous: z.boolean().default(false),
  limited: z.boolean().default(false),
  summary: z.string().min(1),
  errors: z.partialRecord(z.enum(codes), z.string().min(1)).default({}),
  yields: z.instanceof(z.ZodType).optional(),
});

export interface Procedure extends Omit<z.infer<typeof Meta>, "errors" | "yields"> {
  /** `queries.run`. */
  path: string;
  type: "query" | "mutation" | "subscription";
  /** Its error codes, each with its cause, besides those that every procedure has. */
  errors: DocumentedErrors;
  /** The schemas of its input; empty for a procedure without input. */
  inputs: z.ZodType[];
  /** The schema of its output or, for a subscription, of each message. Absent if it has no output. */
  output: z.ZodType | undefined;
}

const Schema = z.instanceof(z.ZodType);

/** The schema of a parser of ours: every procedure wraps its schemas in `parsed` and `checked`. */
const Parser = z
  .custom<object>((parser) => typeof parser === "function", "must be wrapped in parsed() or checked()")
  .transform((parser) => Schema.parse(Reflect.get(parser, "zodSchema")));

/** tRPC stores the output parser, which its types do not show. */
const WithOutput = z.object({ output: Parser.optional() });

const takesCursor = (schema: z.ZodType): boolean =>
  z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }).properties?.cursor !== undefined;

/** Every procedure of the router, found in the router itself. */
export const procedures: Procedure[] = [...proceduresByPath].map(([path, { _def }]) => {
  const meta = Meta.safeParse(_def.meta);
  if (!meta.success) {
    throw new Error(
      `The metadata of ${path} is incomplete: ${z.prettifyError(meta.error)}. Say with .meta() what it does.`,
    );
  }
  const { yields, errors, ...described } = meta.data;
  const inputs = _def.inputs.map((parser) => Parser.parse(parser));
  return {
    path,
    type: _def.type,
    ...described,
    errors: {
      ...(inputs.some(takesCursor) && cursorErrors),
      ...(described.needsWebhooks && webhookErrors),
      ...errors,
    },
    inputs,
    output: yields ?? WithOutput.parse(_def).output,
  };
});
