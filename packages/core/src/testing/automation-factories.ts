import { type Caller, CreateAutomation } from "@querybell/domain";
import type { z } from "zod";
import { createAutomation } from "../automations/index.ts";
import type { Deps } from "../deps.ts";
import { createReference } from "../references/index.ts";
import type { createQueryFactories } from "./query-factories.ts";

type Settings = Partial<z.input<typeof CreateAutomation>>;
type QueryOptions = Parameters<ReturnType<typeof createQueryFactories>["query"]>[2];

export type AutomationFactories = ReturnType<typeof createAutomationFactories>;

/** Creates references, and automations that use them. */
export function createAutomationFactories(
  deps: Deps,
  { query }: Pick<ReturnType<typeof createQueryFactories>, "query">,
) {
  const reference = async (
    caller: Caller,
    sql: string,
    { title = "Fruits", ...options }: { title?: string } & QueryOptions = {},
  ) => {
    const { id: queryId } = await query(caller, sql, options);
    return createReference(deps, caller, { queryId, title });
  };

  const automation = async (caller: Caller, settings: Settings = {}) => {
    const references = settings.references ?? [
      { shortId: (await reference(caller, "SELECT name, weight FROM fruits")).shortId },
    ];
    const words = { name: "Watch the fruits", instruction: "Say what has changed." };
    return createAutomation(deps, caller, CreateAutomation.parse({ ...words, ...settings, references }));
  };

  return { reference, automation };
}
