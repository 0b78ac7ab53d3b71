// The upper bounds for requests: a bare Fastify route that runs one statement and answers what it found, one that sends a
// file, and one that sends a page from memory.
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import fastify from "fastify";
import pg from "pg";
import { readEmitterSettings } from "../webhooks/env.ts";

const pool = new pg.Pool({ connectionString: readEmitterSettings().DATABASE_URL, max: 10 });
const app = fastify();

app.get("/key", async ({ headers }) => {
  const [, prefix] = headers.authorization?.split("_") ?? [];
  const { rows } = await pool.query({
    name: "describe_key",
    text: `
      SELECT k.id, k.name, k.scopes, k.expires_at AS "expiresAt", o.id AS "organizationId", o.name AS "organizationName",
        u.id AS "userId", u.name AS "userName", u.email
      FROM api_keys k JOIN organizations o ON o.id = k.organization_id JOIN users u ON u.id = k.user_id
      WHERE k.prefix = $1`,
    values: [prefix],
  });
  const [{ organizationId, organizationName, userId, userName, email, ...key }] = rows;
  const organization = { id: organizationId, name: organizationName };
  return [{ result: { data: { ...key, organization, user: { id: userId, name: userName, email } } } }];
});

app.get("/file", async ({ headers }, reply) => {
  const path = String(headers["x-file"]);
  const { size } = await stat(path);
  reply.header("content-length", size).header("content-encoding", "gzip").type("application/json");
  return reply.send(createReadStream(path));
});

let page: Buffer | undefined;
app.get("/memory", async ({ headers }, reply) => {
  page ??= await readFile(String(headers["x-file"]));
  return reply.header("content-encoding", "gzip").type("text/html; charset=utf-8").send(page);
});

process.on("disconnect", () => process.exit());
process.on("message", async () => process.send?.(await app.listen({ host: "127.0.0.1", port: 0 })));
process.send?.("ready");
