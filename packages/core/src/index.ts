export { toAppError } from "@querybell/db";
export type { Deployment, Deps } from "./deps.ts";
