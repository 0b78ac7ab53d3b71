import type { Isolation } from "./isolation.ts";
import { inNamespaces, launch } from "./launch.ts";

/** Needs a system that lets ordinary users create namespaces. */
export const userNamespace: Isolation = {
  name: "namespace",
  title: "user namespaces: no capabilities, a seccomp filter",
  command: (program) =>
    launch({ ...program, method: "namespace" }, inNamespaces("--user", "--map-root-user")),
};
