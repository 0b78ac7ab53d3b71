import { z } from "zod";

export const Role = z.enum(["owner", "admin", "member"]);
export type Role = z.infer<typeof Role>;

const rank: Record<Role, number> = { member: 0, admin: 1, owner: 2 };

export const isAtLeast = (role: Role, needed: Role): boolean => rank[role] >= rank[needed];
