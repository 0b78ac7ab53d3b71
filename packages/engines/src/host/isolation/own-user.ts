import { randomInt } from "node:crypto";
import type { Isolation } from "./isolation.ts";
import { inNamespaces, launch } from "./launch.ts";

// No ordinary user has a number like these.
const firstUserId = 0x70000000;
const userIds = 0x0f000000;

/** For root: a user of its own, which owns nothing, in namespaces of its own. */
export const ownUser: Isolation = {
  name: "user",
  title: "a user of its own: namespaces, no capabilities, a seccomp filter",
  command(program) {
    const userId = firstUserId + randomInt(userIds);
    return launch({ ...program, way: "user", userId }, inNamespaces());
  },
};
