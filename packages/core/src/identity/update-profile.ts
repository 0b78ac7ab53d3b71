import type { Person, UpdateProfile } from "@querybell/domain";
import type { Deps } from "../deps.ts";

export async function updateProfile(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { userId }: Pick<Person, "userId">,
  { name }: UpdateProfile,
): Promise<void> {
  await db.prisma.user.update({ where: { id: userId }, data: { name, updatedAt: clock.now() } });
}
