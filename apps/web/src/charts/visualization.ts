import type { Outputs } from "@querybell/client";

export type Reference = Outputs["references"]["get"];
export type Visualization = NonNullable<Reference["visualization"]>;

export const plainMargins = { top: 16, right: 24, bottom: 24, left: 16 };
