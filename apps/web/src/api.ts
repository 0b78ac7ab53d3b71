import { createClient, type Outputs } from "@querybell/client";
import { asFailure } from "./failure.ts";

export const api = createClient({ url: location.origin });

export type Me = Outputs["me"]["get"];

/** Who is signed in, if anybody is. */
export async function whoAmI(): Promise<Me | undefined> {
  try {
    return await api.me.get.query();
  } catch (error) {
    const failure = asFailure(error);
    if (failure.code === "unauthorized") return undefined;
    throw failure;
  }
}
