import { createAutomation } from "@querybell/core/automations";
import { createEndpoint } from "@querybell/core/webhooks";
import { CreateAutomation, CreateWebhookEndpoint } from "@querybell/domain";
import { freePort } from "@querybell/embedded-postgres";
import { addOrganization } from "../fairness/organization.ts";
import type { Installation } from "../webhooks/installation.ts";

const number = { name: "n", displayName: "N", type: "integer" as const, description: "", defaultValue: "1" };
const queriesOfEach = 4;

/** An organization with queries, automations and endpoints of every kind. */
export async function createWorld(installation: Installation, receiverUrl: string) {
  const { deps } = installation;
  const organization = await addOrganization(installation);
  const { caller } = organization;
  const quick = [];
  for (let index = 0; index < queriesOfEach; index++) {
    const onPostgres = `SELECT n, n * {{n}} AS multiple, ${index} AS i FROM generate_series(1, 50) n`;
    const onDuckdb = `SELECT range AS n, range * {{n}} AS multiple, ${index} AS i FROM range(200)`;
    quick.push(await organization.addQuery("postgres", onPostgres, [number]));
    quick.push(await organization.addQuery("duckdb", onDuckdb, [number]));
  }
  const slow = await organization.addQuery("postgres", "SELECT pg_sleep(3), {{n}} AS n", [number]);
  const large = await organization.addQuery(
    "duckdb",
    "SELECT range AS n, repeat('x', 200) AS text, {{n}} AS i FROM range(20000)",
    [number],
  );
  const wrong = await organization.addQuery("postgres", "SELECT 1 / ({{n}} - {{n}})", [number]);

  const references = quick.slice(0, 2).map(({ shortId }) => ({ shortId }));
  const addAutomation = (settings: object) =>
    createAutomation(
      deps,
      caller,
      CreateAutomation.parse({
        name: "Soak",
        instruction: "Look at the multiples.",
        references,
        ...settings,
      }),
    );
  const automations = {
    digest: await addAutomation({ agent: "digest" }),
    external: await addAutomation({ agent: "external" }),
    hourly: await addAutomation({
      agent: "digest",
      schedule: { cron: "0 * * * *", timeZone: "UTC" },
    }),
  };

  const refusing = `http://127.0.0.1:${await freePort()}`;
  const urls = ["/good", "/fail", "/hang"].map((path) => receiverUrl + path).concat(refusing);
  const endpoints = [];
  for (const url of urls) {
    const eventTypes = ["automation.run.completed", "automation.run.failed"];
    endpoints.push(await createEndpoint(deps, caller, CreateWebhookEndpoint.parse({ url, eventTypes })));
  }
  const [good, fail, hang, refused] = endpoints.map(({ id }) => id);
  if (!good || !fail || !hang || !refused) throw new Error("An endpoint is missing.");
  return {
    ...organization,
    queries: { quick, slow, large, wrong },
    automations,
    endpoints: { good, fail, hang, refused },
    key: await organization.addKey(),
    publicUrl: installation.settings.PUBLIC_URL,
  };
}
export type World = Awaited<ReturnType<typeof createWorld>>;
