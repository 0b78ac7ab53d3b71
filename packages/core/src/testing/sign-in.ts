import { type Caller, type Me, type Person, SignInWithPassword } from "@querybell/domain";
import { expect } from "vitest";
import type { Deps } from "../deps.ts";
import { describePerson, resolveSession, type SignedIn, signInWithPassword } from "../identity/index.ts";
import { testPassword } from "./factories.ts";

/** Matches the error of `signIn` with a wrong password. */
export const wrongPassword = expect.objectContaining({ code: "unauthorized" });

export interface TestSession {
  person: Person;
  /** Whether the cookie of the session is still accepted. */
  isActive(): Promise<boolean>;
  /** The session's caller now. Throws if the session has ended, or its person has no organization. */
  getCaller(): Promise<Caller>;
  /** The signed-in person now, their active organization and all their memberships. */
  describe(): Promise<Me>;
}

/** Signs in with a password. The session is then found by its cookie, as for a request. */
export async function signIn(deps: Deps, email: string, password = testPassword): Promise<TestSession> {
  const client = { address: "192.0.2.1", userAgent: null };
  const answer = await signInWithPassword(deps, SignInWithPassword.parse({ email, password }), client);
  const cookies = answer.cookies.map((cookie) => cookie.split(";")[0]);
  const find = () => resolveSession(deps, new Headers({ cookie: cookies.join("; ") }));
  const get = async (): Promise<SignedIn> => {
    const found = await find();
    if (!found) throw new Error("The session has ended.");
    return found;
  };
  const { person } = await get();
  return {
    person,
    isActive: async () => (await find()) !== undefined,
    async getCaller() {
      const { caller } = await get();
      if (!caller) throw new Error("The person belongs to no organization.");
      return caller;
    },
    describe: async () => describePerson(deps, await get()),
  };
}
