import type { Deps } from "@querybell/core";
import type { AutomationFactories, Factories, QueryFactories } from "@querybell/core/testing";
import type { Caller, ErrorCode } from "@querybell/domain";
import { expect } from "vitest";
import type { Api } from "../api-test.ts";
import { callProcedure, everyProcedure } from "../every-procedure.ts";

type Headers = Record<string, string>;

/** Calls a procedure so that it fails with this code. */
export type Provoke = (path: string, code: ErrorCode, input?: unknown, as?: Headers) => Promise<void>;

/** What provocations use: an organization, and calls by its owner unless another caller is given. */
export interface ProvocationContext {
  api: Api;
  deps: Deps;
  make: Factories & QueryFactories & AutomationFactories;
  owner: Caller;
  provoke: Provoke;
}

/** `seen` holds `<path> <code>` for each expected error that occurred. */
export function createProvoke(api: Api, ownerHeaders: Headers): { provoke: Provoke; seen: Set<string> } {
  const seen = new Set<string>();
  const provoke: Provoke = async (path, code, input, headers = ownerHeaders) => {
    const procedure = everyProcedure.find((one) => one.path === path);
    if (!procedure) throw new Error(`There is no procedure ${path}.`);
    const { reason, text } = await callProcedure(api, procedure, { input, headers });
    expect([path, reason], text).toEqual([path, code]);
    seen.add(`${path} ${code}`);
  };
  return { provoke, seen };
}
