import type { Isolation } from "./isolation.ts";
import { launch } from "./launch.ts";

/** For everybody, without any privilege, also in a container. */
export const landlock: Isolation = {
  name: "landlock",
  title: "Landlock: rules on files, a seccomp filter, no new privileges",
  command: (program) => launch({ ...program, way: "landlock" }),
};
