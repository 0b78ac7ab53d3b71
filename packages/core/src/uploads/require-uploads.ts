import type { Prisma } from "@querybell/db";
import { AppError, type Caller, isAtLeast } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** Throws unless the caller may upload files and change their tables. An API key has the role of its owner. */
export async function requireUploads({ db }: Pick<Deps, "db">, caller: Caller): Promise<void> {
  const organization = await db.prisma.organization.findUniqueOrThrow({
    where: { id: caller.organizationId },
  });
  if (mayUpload(organization, caller)) return;
  throw new AppError(
    "forbidden",
    "Only admins of this organization upload files and change their tables. Ask one of them.",
  );
}

export const mayUpload = (
  { uploadsBy }: Pick<Prisma.OrganizationModel, "uploadsBy">,
  { role }: Pick<Caller, "role">,
): boolean => uploadsBy === "members" || isAtLeast(role, "admin");
