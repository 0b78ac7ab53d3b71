import type { Isolation } from "./isolation.ts";
import { inNamespaces, launch } from "./launch.ts";

/** For everybody, where the system lets ordinary users make namespaces. */
export const userNamespace: Isolation = {
  name: "namespace",
  title: "user namespaces: no capabilities, a seccomp filter",
  command: (program) => launch({ ...program, way: "namespace" }, inNamespaces("--user", "--map-root-user")),
};
