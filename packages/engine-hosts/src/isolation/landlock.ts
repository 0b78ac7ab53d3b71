import type { Isolation } from "./isolation.ts";
import { launch } from "./launch.ts";

/** Needs no privileges, and works in containers. */
export const landlock: Isolation = {
  name: "landlock",
  title: "Landlock: rules on files, a seccomp filter, no new privileges",
  command: (program) => launch({ ...program, method: "landlock" }),
};
