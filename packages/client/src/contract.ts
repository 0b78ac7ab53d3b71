import type { AppRouter } from "@querybell/api/router";
import type { AnyTRPCProcedure, inferProcedureInput, inferProcedureOutput } from "@trpc/server";

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** The same type with all its fields expanded, so that it refers to no type of the server. */
type Spelled<Value> = unknown extends Value
  ? unknown
  : [Json] extends [Value]
    ? Json
    : Value extends AsyncIterable<infer Item, infer Return, infer Next>
      ? AsyncIterable<Spelled<Item>, Return, Next>
      : Value extends readonly (infer Item)[]
        ? Spelled<Item>[]
        : Value extends object
          ? { [Key in keyof Value]: Spelled<Value[Key]> }
          : Value;

type Calls<Node> = Node extends AnyTRPCProcedure
  ? {
      type: Node["_def"]["type"];
      input: Spelled<inferProcedureInput<Node>>;
      output: Spelled<inferProcedureOutput<Node>>;
    }
  : { [Name in keyof Node]: Calls<Node[Name]> };

/** The part of a router that its clients use. */
interface Visible {
  _def: { record: object; _config: { $types: { errorShape: unknown } } };
}

declare function spellOut<Router extends Visible>(): {
  errorShape: Spelled<Router["_def"]["_config"]["$types"]["errorShape"]>;
  calls: { [Name in keyof Router["_def"]["record"]]: Calls<Router["_def"]["record"][Name]> };
};

/**
 * Everything that can be called, with inputs and outputs. Only its type is used. The compiler writes the
 * inferred type of a constant in full into `contract.d.ts`; an alias would stay a reference to the server's
 * source, which the users of this package do not have.
 */
export const contract = spellOut<AppRouter>();
