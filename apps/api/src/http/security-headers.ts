import type { Deployment } from "@querybell/core";
import type { FastifyInstance } from "fastify";

const always = {
  "content-security-policy":
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
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
  app.addHook("onRequest", async (request, reply) => {
    reply.headers(headers);
    // Answers of the api depend on who asks and must not be kept by anything in between.
    if (request.url.startsWith("/api/")) reply.header("cache-control", "no-store");
  });
}
