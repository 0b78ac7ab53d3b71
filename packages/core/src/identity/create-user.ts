import type { Tx } from "@querybell/db";
import { newId } from "@querybell/domain";
import type { Deps } from "../deps.ts";

export interface NewUser {
  name: string;
  email: string;
  password: string;
  /** Whether the person has proven to own this address. */
  emailVerified: boolean;
}

/** Inserts the rows that better-auth needs for signing in, in our transaction. */
export async function createUser(
  { tx, clock, auth }: { tx: Tx } & Pick<Deps, "clock" | "auth">,
  { name, email, password, emailVerified }: NewUser,
): Promise<string> {
  const { password: hasher } = await auth.$context;
  const now = clock.now();
  const id = newId(clock);
  const times = { createdAt: now, updatedAt: now };
  await tx.user.create({
    data: {
      id,
      name,
      email,
      emailVerified,
      ...times,
      accounts: {
        create: {
          id: newId(clock),
          accountId: id,
          providerId: "credential",
          password: await hasher.hash(password),
          ...times,
        },
      },
    },
  });
  return id;
}
