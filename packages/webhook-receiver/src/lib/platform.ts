// Fetch's own types where the program has them, be it from the DOM's, from Node's or from an edge runtime's
// declarations. A program that has none can still read ours.

type InstanceOf<Name extends string> =
  typeof globalThis extends Record<Name, { prototype: infer Instance }> ? Instance : unknown;

export type PlatformRequest = InstanceOf<"Request">;
export type PlatformResponse = InstanceOf<"Response">;
