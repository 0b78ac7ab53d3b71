/**
 * Who may import whom. The arrows point one way, so that a pure package stays pure and a change in the
 * database never reaches the pages. Tests may use more; `testkit` and `test-database` are theirs alone.
 */
export const allowed: Record<string, { may: string[]; because: string }> = {
  domain: { may: [], because: "it is the language that all others speak, and pure" },
  sealing: { may: [], because: "it is pure, so that it can be checked on its own" },
  guard: { may: [], because: "it is pure, so that it can be checked on its own" },
  cursors: { may: ["sealing"], because: "it is pure, so that it can be checked on its own" },
  prisma: { may: [], because: "it only brings a database to the schema" },
  "embedded-postgres": { may: [], because: "it runs a Postgres and knows nothing of what is stored there" },
  db: { may: ["domain", "sealing"], because: "it stores what the domain says and knows no use case" },
  engines: { may: ["domain"], because: "it runs a statement and knows neither users nor storage" },
  models: { may: ["guard"], because: "it speaks to a language model and knows neither data nor users" },
  webhooks: { may: ["domain", "db", "guard"], because: "it sends what is stored and knows no use case" },
  core: {
    may: ["domain", "sealing", "cursors", "db", "engines", "guard", "models", "webhooks"],
    because: "use cases reach the outside through the packages below them",
  },
  runtime: {
    may: ["core", "cursors", "db", "domain", "engines", "guard", "models", "prisma", "sealing"],
    because: "it opens what the use cases work with, for every process in the same way",
  },
  "webhook-receiver": { may: [], because: "customers install it, and it brings nothing along" },
  "webhook-receiver-setups": { may: [], because: "it installs the packed kit, as a customer does" },
  "webhook-test-sender": { may: [], because: "it must share no mistake with the sender and the kit" },
  receiver: { may: ["webhook-receiver"], because: "it is what a customer would write" },
  client: { may: [], because: "it takes the type of the api's router and nothing else of it" },
  "test-database": {
    may: ["embedded-postgres", "domain", "prisma"],
    because: "tests of packages below core use it, so it must not need core",
  },
  testkit: {
    may: ["core", "domain", "runtime", "sealing", "test-database"],
    because: "it serves tests of the apps",
  },
  api: {
    may: ["core", "domain", "runtime"],
    because: "routers are transport and leave the work to use cases",
  },
  worker: {
    may: ["core", "domain", "runtime", "webhooks"],
    because: "tasks leave the work to use cases, and sending to webhooks",
  },
  web: { may: ["client", "domain"], because: "pages speak to the api over HTTP like everybody else" },
  local: {
    may: ["core", "db", "domain", "embedded-postgres", "engines", "prisma", "runtime", "sealing", "webhooks"],
    because: "it puts one machine's set-up together: database, keys, demo, processes",
  },
  operator: {
    may: ["core", "domain", "prisma", "runtime"],
    because: "an operator's command is a use case or a migration",
  },
};

/** Packages from the registry that only some of ours may use. */
export const reserved: Record<string, { for: string[]; because: string }> = {
  "@prisma/client": { for: ["db"], because: "only db talks to Prisma" },
  "@prisma/adapter-pg": { for: ["db", "prisma"], because: "only db talks to Prisma" },
  "better-auth": { for: ["core"], because: "who somebody is has one implementation" },
  "@ai-sdk/openai-compatible": { for: ["models"], because: "requests to models have one implementation" },
  fastify: { for: ["api"], because: "HTTP ends at the api" },
};
