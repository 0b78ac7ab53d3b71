import { randomInt } from "node:crypto";
import type { Isolation } from "./isolation.ts";
import { inNamespaces, launch } from "./launch.ts";

// User ids that no ordinary user has.
const firstUserId = 0x70000000;
const userIds = 0x0f000000;

/** Needs root. Gives each host a user id of its own that owns no files, and namespaces. */
export const ownUser: Isolation = {
  name: "user",
  title: "a user of its own: namespaces, no capabilities, a seccomp filter",
  command(program) {
    const userId = firstUserId + randomInt(userIds);
    return launch({ ...program, method: "user", userId }, inNamespaces());
  },
};
