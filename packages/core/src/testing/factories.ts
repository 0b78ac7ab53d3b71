import { type Caller, newId, type Person, type Role } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { type Auth, createUser } from "../identity/index.ts";

export const testPassword = "correct horse battery";

export interface TestUser extends Person {
  name: string;
  email: string;
}

export type Factories = ReturnType<typeof createFactories>;

/** Creates users and organizations for tests. Names and addresses are unique, so that tests do not interfere. */
export function createFactories(deps: Deps) {
  let count = 0;
  const auth = withCachedHash(deps.auth);

  const user = async ({
    name = `User ${++count}`,
    email = `user-${++count}@example.test`,
  } = {}): Promise<TestUser> => {
    const userId = await deps.db.transaction((tx) =>
      createUser({ ...deps, auth, tx }, { name, email, password: testPassword, emailVerified: true }),
    );
    const now = deps.clock.now();
    const session = await deps.db.prisma.session.create({
      data: {
        id: newId(deps.clock),
        userId,
        token: newId(deps.clock),
        expiresAt: new Date(now.getTime() + 86_400_000),
        createdAt: now,
        updatedAt: now,
      },
    });
    return { userId, sessionId: session.id, name, email };
  };

  const organization = async ({ name = `Organization ${++count}` } = {}) => {
    const id = newId(deps.clock);
    const slug = `organization-${id}`;
    await deps.db.prisma.organization.create({
      data: { id, name, slug, restCompatibility: "live", createdAt: deps.clock.now() },
    });
    return { organizationId: id, slug };
  };

  /** A new user in the organization, as a caller with a session. */
  const member = async (organizationId: string, role: Role = "member"): Promise<Caller & TestUser> => {
    const person = await user();
    await deps.db.prisma.member.create({
      data: { organizationId, userId: person.userId, role, createdAt: deps.clock.now() },
    });
    return { ...person, organizationId, role, via: { kind: "session", sessionId: person.sessionId } };
  };

  /** A new organization and its owner. */
  const owner = async (): Promise<Caller & TestUser> => {
    const { organizationId } = await organization();
    return member(organizationId, "owner");
  };

  return { user, organization, member, owner };
}

type Hash = (password: string) => Promise<string>;

const hashes = new WeakMap<Hash, Promise<string>>();

/** Hashes only once for all users of all test files: hashing is slow on purpose, and they have the same password. */
function withCachedHash(auth: Auth): Auth {
  const $context = auth.$context.then((context) => {
    const { hash } = context.password;
    const known = hashes.get(hash) ?? hash(testPassword);
    hashes.set(hash, known);
    return { ...context, password: { ...context.password, hash: () => known } };
  });
  return { ...auth, $context };
}
