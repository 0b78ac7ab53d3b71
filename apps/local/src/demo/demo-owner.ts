import type { Caller } from "@querybell/domain";

/** The person whom the demo organization belongs to. */
export type DemoOwner = Pick<Caller, "organizationId" | "userId">;
