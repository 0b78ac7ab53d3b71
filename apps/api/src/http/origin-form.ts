const absoluteForm = /^[a-z][a-z0-9+.-]*:\/\//i;
/** No address: it cannot be decoded, and is refused as such. */
const unreadable = "/%";

/**
 * The path and query of a request's target. Clients send an absolute target (`GET http://host/path`) to proxies,
 * and servers must take one too (RFC 9112, 3.2.2). Everything behind this sees one form only.
 */
export function toOriginForm(target: string | undefined): string {
  if (target?.startsWith("/") || target === "*") return target;
  if (target === undefined || !absoluteForm.test(target)) return unreadable;
  const { pathname, search } = URL.parse(target) ?? { pathname: unreadable, search: "" };
  // Of other schemes than http, URLs can have an empty path.
  return `${pathname === "" ? "/" : pathname}${search}`;
}
