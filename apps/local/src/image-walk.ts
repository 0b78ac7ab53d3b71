// `node apps/local/src/image-walk.ts <root of the image's file system>`: walks through the first steps of a new
// installation whose processes run from the image: migrations, an organization, the api, two workers and the proxy with
// TLS; a person joins, uploads a file, runs a query, makes a chart and opens its link; a webhook arrives; a backup is
// made. Needs root. docs/deploy.md says how to build and mount the image.
import { readdirSync } from "node:fs";
import { chromium } from "playwright-core";
import { startImage } from "./testing/image.ts";
import { startKitReceiver } from "./testing/kit-receiver.ts";

const root = process.argv[2];
if (!root) throw new Error("Name the root of the image's file system.");
const step = (text: string) => console.log(`› ${text}`);
const csv = "fruit,weight\napple,3\npear,5\nplum,2\n";

await using image = await startImage(root);
step(await image.operator("migrate"));
const created = await image.operator(
  "organization",
  "create",
  "--name",
  "Acme",
  "--owner",
  "ada@acme.example",
);
const [, slug = ""] = /Created (\S+)\./.exec(created) ?? [];
const [invitation = ""] = /https:\S+$/.exec(created) ?? [];
step(await image.operator("webhooks", "on", "--organization", slug));
await image.start("api");
await image.start("worker", 1);
await image.start("worker", 2);
step(`api and two workers are healthy; ${image.isolation()}`);
await image.startProxy();

const browser = await chromium.launch({
  executablePath: image.chromium,
  args: ["--no-sandbox", "--disable-gpu"],
});
const context = await browser.newContext({ baseURL: image.url, ignoreHTTPSErrors: true });
// A time-out is only to end what hangs.
context.setDefaultTimeout(120_000);
const page = await context.newPage();
await page.goto(invitation);
await page.getByLabel("Your name").fill("Ada");
await page.getByLabel("Password", { exact: true }).fill("a long password");
await page.getByRole("button", { name: "Create account and join" }).click();
await page.getByRole("heading", { name: "Hello, Ada" }).waitFor();
step("a person has joined, through the proxy with TLS");

await page.goto("/uploads");
const file = { name: "sales.csv", mimeType: "text/csv", buffer: Buffer.from(csv) };
await page.getByLabel("File", { exact: true }).setInputFiles(file);
await page.getByRole("button", { name: "Import", exact: true }).click();
await page.getByText("The table sales has 3 rows now.").waitFor();
await page.getByRole("button", { name: "Query this table: sales" }).click();
await page.waitForURL(/\/queries\/[0-9a-f-]{36}$/);
await page.getByRole("textbox", { name: "SQL" }).click();
await page.keyboard.press("Control+Enter");
await page.getByRole("gridcell", { name: "plum" }).waitFor();
step("an uploaded file is a table, and a query on it has run");

await page.getByRole("tab", { name: "Charts" }).click();
await page.getByRole("button", { name: "New chart" }).click();
await page.getByRole("region", { name: "Preview" }).getByRole("application").getByText("plum").waitFor();
await page.getByRole("button", { name: "Save", exact: true }).click();
await page.waitForURL(/\/q\/\w+$/);
await page.getByRole("group", { name: /^Chart: / }).waitFor();
step(`the chart is at ${page.url()}`);

const receiver = await startKitReceiver({ now: () => new Date() });
const post = async (procedure: string, data: object) => {
  const headers = { origin: image.url };
  const answer = await page.request.post(`/api/trpc/${procedure}`, { data, headers });
  if (!answer.ok()) throw new Error(`${procedure}: ${await answer.text()}`);
  return (await answer.json()).result.data;
};
const eventTypes = ["automation.run.completed"];
const endpoint = await post("webhookEndpoints.create", { url: receiver.url, eventTypes });
receiver.useSecrets(endpoint.secret.secret);
await post("webhookEndpoints.sendTest", { id: endpoint.id });
const [delivery] = await receiver.until(1);
await receiver.stop();
step(`the webhook ${delivery?.id} has arrived, and its signature is right`);

step(await image.operator("backup", "create", "--to", "/backups"));
const [backup] = readdirSync(image.backups);
step(await image.operator("backup", "verify", "--from", `/backups/${backup}`));
// The page stays open, with its live stream through the proxy: a stop must not wait for it.
step(`stopped: ${(await image.stop()).join(", ")}`);
await browser.close();
