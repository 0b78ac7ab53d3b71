import type { AskOptions, ModelGuard, ModelServer } from "@querybell/models";

/** What use cases need to speak with models. */
export interface ModelDeps {
  /** Decides which servers may be connected to. */
  guard: ModelGuard;
  /** The model that the operator has set up for all organizations. */
  operator: ModelServer | null;
  limits: AskOptions["limits"];
}
