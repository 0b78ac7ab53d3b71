import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { inputMessages } from "@querybell/domain";
import { z } from "zod";
import { invalidInput } from "../trpc/input-checks.ts";

/** Reads the parameters of a method. The SDK would answer wrong ones as a failure of ours, in the words of its parser. */
export function readParams<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(params ?? {}, inputMessages);
  if (error) throw new ProtocolError(ProtocolErrorCode.InvalidParams, invalidInput(error).message);
  return data;
}

/** Of a method that lists: everything is on one page, so there are no cursors. */
export const ListParams = z.looseObject({ cursor: z.null("is unknown: there is one page").optional() });
