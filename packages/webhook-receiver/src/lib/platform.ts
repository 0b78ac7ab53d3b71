// Fetch's types if the program has them, from the DOM, Node or an edge runtime; otherwise unknown.

type InstanceOf<Name extends string> =
  typeof globalThis extends Record<Name, { prototype: infer Instance }> ? Instance : unknown;

export type PlatformRequest = InstanceOf<"Request">;
export type PlatformResponse = InstanceOf<"Response">;
