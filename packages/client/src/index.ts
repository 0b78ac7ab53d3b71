export { type Client, type ClientOptions, createClient } from "./create-client.ts";
export { type KnownReason, type Refusal, refusalOf } from "./refusal.ts";
export type { AppRouter, Inputs, Outputs } from "./router.ts";
