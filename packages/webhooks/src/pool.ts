import type { Database } from "@querybell/db";

/** Statements of the pump run on the pool, outside of Prisma, as prepared statements. */
export type Pool = Database["pool"];
