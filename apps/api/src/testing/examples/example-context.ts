import type { Deps } from "@querybell/core";
import type { Factories, QueryFactories } from "@querybell/core/testing";
import type { Caller } from "@querybell/domain";
import type { RecordExample } from "./record-example.ts";

/** The context of the examples. They run in order: later ones use the objects of earlier ones. */
export interface ExampleContext {
  deps: Deps;
  make: Factories & QueryFactories;
  record: RecordExample;
  /** The caller: the owner of an organization. */
  caller: Caller;
  /** The same owner with the API key of the examples. */
  keyCaller: Caller;
  /** The part of all email addresses after the @. */
  mailDomain: string;
}
