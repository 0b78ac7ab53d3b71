const absoluteForm = /^[a-z][a-z0-9+.-]*:\/\//i;
/** A path that cannot be decoded, so the router rejects the request. */
const invalidPath = "/%";

/**
 * The path and query of a request's target. Clients send an absolute target (`GET http://host/path`) to proxies,
 * and servers must accept one too (RFC 9112, 3.2.2). Hooks and routes see only the path and query.
 */
export function toOriginForm(target: string | undefined): string {
  if (target?.startsWith("/") || target === "*") return target;
  if (target === undefined || !absoluteForm.test(target)) return invalidPath;
  const { pathname, search } = URL.parse(target) ?? { pathname: invalidPath, search: "" };
  // URLs with other schemes than http can have an empty path.
  return `${pathname === "" ? "/" : pathname}${search}`;
}
