/**
 * The allowed imports between packages: without cycles, and so that pure packages stay pure and pages do not depend on
 * the database. Tests may import more; only they may import `test-database`.
 */
export const allowed: Record<string, { may: string[]; because: string }> = {
  domain: { may: [], because: "all other packages use it, and it is pure" },
  tracing: { may: [], because: "all other packages use it, and it exports nothing by itself" },
  sealing: { may: [], because: "it is pure, so that it can be tested alone" },
  guard: { may: [], because: "it is pure, so that it can be tested alone" },
  cursors: { may: ["sealing"], because: "it is pure, so that it can be tested alone" },
  prisma: { may: [], because: "it only applies migrations" },
  process: {
    may: ["domain"],
    because: "the public process uses it, which must reach neither keys nor engines",
  },
  "public-pages": {
    may: ["domain"],
    because: "the public process reads what core writes, and must not need core",
  },
  "embedded-postgres": { may: [], because: "it runs Postgres, independent of what is stored there" },
  db: {
    may: ["domain", "tracing"],
    because: "it stores the objects of the domain, independent of use cases",
  },
  charts: { may: ["domain"], because: "it is pure: the page and the server draw the same" },
  statements: { may: ["domain"], because: "it is pure: no engine is needed to parse a statement" },
  engines: {
    may: ["domain", "statements"],
    because: "it executes statements, independent of users and storage",
  },
  summaries: { may: ["domain"], because: "it computes from stored results, without an engine" },
  conditions: {
    may: ["domain", "summaries"],
    because: "it is pure: whether a condition is met follows from results alone",
  },
  "engine-hosts": {
    may: ["charts", "conditions", "domain", "engines", "statements", "summaries"],
    because: "it runs the packages below in processes, independent of users and storage",
  },
  models: { may: ["guard"], because: "it calls language models, independent of data and users" },
  webhooks: {
    may: ["domain", "db", "guard", "tracing"],
    because: "it sends stored deliveries, independent of use cases",
  },
  core: {
    may: [
      "charts",
      "domain",
      "sealing",
      "cursors",
      "db",
      "engine-hosts",
      "engines",
      "guard",
      "models",
      "public-pages",
      "statements",
      "summaries",
      "tracing",
      "webhooks",
    ],
    because: "use cases access external systems through the packages below",
  },
  runtime: {
    may: ["core", "db", "domain", "engine-hosts", "prisma", "process", "tracing"],
    because: "it is what processes share: settings, logs, readiness, shutdown",
  },
  "webhook-receiver": { may: [], because: "customers install it, and it has no dependencies" },
  "webhook-receiver-setups": { may: [], because: "it installs the packed kit, as a customer does" },
  "webhook-test-sender": {
    may: [],
    because: "sharing code with the sender or the kit would share their mistakes",
  },
  receiver: { may: ["webhook-receiver"], because: "it is an example of a customer's program" },
  embedding: { may: [], because: "it is an example of a customer's program" },
  client: { may: [], because: "it uses only the type of the api's router" },
  "test-database": {
    may: ["embedded-postgres", "domain", "prisma"],
    because: "tests of packages below core use it, so it must not need core",
  },
  api: {
    may: ["core", "domain", "runtime", "tracing"],
    because: "routers are transport and leave the work to use cases",
  },
  worker: {
    may: ["core", "domain", "runtime", "tracing", "webhooks"],
    because: "tasks leave the work to use cases, and sending to webhooks",
  },
  public: {
    may: ["domain", "process", "public-pages"],
    because: "it serves anybody, so nothing that it loads can reach keys, engines or other tables",
  },
  web: {
    may: ["charts", "client", "domain", "statements"],
    because: "pages call the api over HTTP, draw charts, and find placeholders while somebody types",
  },
  local: {
    may: [
      "charts",
      "core",
      "db",
      "domain",
      "embedded-postgres",
      "engine-hosts",
      "engines",
      "prisma",
      "runtime",
      "sealing",
      "webhooks",
    ],
    because: "it sets up one machine: database, keys, demo, processes",
  },
  operator: {
    may: ["core", "domain", "prisma", "runtime"],
    because: "an operator's command is a use case or a migration",
  },
};

/** Packages from the registry that only some of our packages may use. */
export const reserved: Record<string, { for: string[]; because: string }> = {
  "@prisma/client": { for: ["db"], because: "only db uses Prisma" },
  "@prisma/adapter-pg": { for: ["db", "prisma"], because: "only db uses Prisma" },
  "better-auth": { for: ["core"], because: "authentication has one implementation" },
  "openid-client": { for: ["core"], because: "authentication has one implementation" },
  "@simplewebauthn/server": { for: ["core"], because: "authentication has one implementation" },
  "@ai-sdk/openai-compatible": {
    for: ["models"],
    because: "calls of language models have one implementation",
  },
  jose: { for: ["public-pages"], because: "tokens of embedding are verified in one way" },
  fastify: { for: ["api"], because: "only the api serves HTTP" },
  "@modelcontextprotocol/server": { for: ["api"], because: "only the api serves MCP" },
  "@opentelemetry/api": {
    for: ["runtime"],
    because: "all other packages use tracing, which is a no-op without it",
  },
};
