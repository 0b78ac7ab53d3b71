import type { Outputs } from "@querybell/client";

export type Reference = Outputs["references"]["get"];
export type Visualization = NonNullable<Reference["visualization"]>;
