import type { Deps } from "@querybell/core";
import type { Caller } from "@querybell/domain";
import type { Factories } from "@querybell/testkit";
import type { Play } from "./play.ts";

/** What the examples are played with. Together they tell one story: what one makes, the next ones use. */
export interface Scene {
  deps: Deps;
  make: Factories;
  play: Play;
  /** Whose calls these are: the owner of an organization. */
  caller: Caller;
  /** The same with the API key that the examples show. */
  keyCaller: Caller;
}
