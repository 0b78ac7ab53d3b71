import type { Deployment } from "@querybell/core";
import type { FastifyInstance } from "fastify";

/**
 * The content security policy (see docs/decisions/content-security.md). With a nonce, style elements that carry it are
 * allowed; style attributes never are, and neither is a script that is not a file of ours.
 */
export const contentSecurityPolicy = (styleNonce?: string): string =>
  [
    "default-src 'self'",
    "script-src 'self'",
    `style-src 'self'${styleNonce ? ` 'nonce-${styleNonce}'` : ""}`,
    "style-src-attr 'none'",
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");

const always = {
  "content-security-policy": contentSecurityPolicy(),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

export function addSecurityHeaders(app: FastifyInstance, { publicUrl }: Pick<Deployment, "publicUrl">): void {
  const https = publicUrl.startsWith("https:") && { "strict-transport-security": "max-age=31536000" };
  const headers = { ...always, ...https };
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(headers);
    // Answers of the api depend on the caller and must not be cached.
    if (request.url.startsWith("/api/")) reply.header("cache-control", "no-store");
    done();
  });
}
