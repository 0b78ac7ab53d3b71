import type { Database } from "@querybell/db";

export type Pool = Database["pool"];
