export { asRefusal } from "@querybell/db";
export type { Deployment, Deps } from "./deps.ts";
