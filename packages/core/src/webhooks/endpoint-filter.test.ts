import { type Caller, type UpdateWebhookEndpoint, WebhookFilter } from "@querybell/domain";
import { describe, expect } from "vitest";
import type { z } from "zod";
import { deleteAutomation } from "../automations/index.ts";
import { createFolder } from "../folders/index.ts";
import { moveItems } from "../library/index.ts";
import { answer, deliveryTest } from "../testing/delivery-test.ts";
import { getEndpoint, resendDelivery, sendTestEvent, updateEndpoint } from "./index.ts";

const test = deliveryTest
  .extend("filtered", { scope: "file" }, ({ hooks }) => {
    return (owner: Caller, filter: z.input<typeof WebhookFilter>, url = "http://127.0.0.1:9/") =>
      hooks.endpoint(owner, url, { filter: WebhookFilter.parse(filter) });
  })
  .extend("team", { scope: "file" }, ({ deps, make, hooks }) => async () => {
    const owner = await hooks.owner();
    const automation = await make.automation(owner);
    const outer = await createFolder(deps, owner, { name: "Outer", parentId: null });
    const inner = await createFolder(deps, owner, { name: "Inner", parentId: outer.id });
    const filed = await make.automation(owner);
    await moveItems(deps, owner, { items: [{ kind: "automation", id: filed.id }], folderId: inner.id });
    return { owner, automation, filed, outer, inner };
  });

const always = [{ field: "summary", operator: "contains" as const, value: "well" }];
const never = [{ field: "summary", operator: "contains" as const, value: "badly" }];

test("an event is delivered to the endpoints whose filters it passes", async ({ hooks, team, filtered }) => {
  const { owner, automation, filed, outer, inner } = await team();
  const { organizationId } = owner;
  const filters: Record<string, z.input<typeof WebhookFilter>> = {
    automation: { automationIds: [automation.id] },
    folder: { folderIds: [inner.id] },
    "folder above": { folderIds: [outer.id], conditions: always },
    either: { automationIds: [automation.id], folderIds: [outer.id] },
    neither: { automationIds: [automation.id], conditions: never },
    data: { conditions: always },
    "two conditions": { conditions: [...always, ...never] },
  };
  const names = new Map<string, string>();
  for (const [name, filter] of Object.entries(filters)) names.set((await filtered(owner, filter)).id, name);
  names.set((await hooks.endpoint(owner, "http://127.0.0.1:9/")).id, "none");
  const deliveredFor = async (automationId: string) => {
    const eventId = await hooks.emit({ organizationId, automationId });
    return (await hooks.deliveries({ eventId })).map(({ endpointId }) => names.get(endpointId)).sort();
  };
  expect(await deliveredFor(automation.id)).toEqual(["automation", "data", "either", "none"]);
  expect(await deliveredFor(filed.id)).toEqual(["data", "either", "folder", "folder above", "none"]);
});

describe("a condition on the data", () => {
  const data = {
    summary: 'Up 4 % "again"',
    isAgain: false,
    part: 2,
    nothing: null,
    empty: "",
    facts: [
      { name: "sum", value: "1200.50" },
      { name: "count", value: "-3" },
      { name: "newest", value: "2026-01-31" },
    ],
    detail: { changed: ["schedule", "name"] },
    big: "9007199254740993",
  };
  const cases: [field: string, operator: string, value: string | null, expected: boolean][] = [
    ["summary", "equals", 'Up 4 % "again"', true],
    ["summary", "contains", "4 %", true],
    ["summary", "contains", "5 %", false],
    ["isAgain", "equals", "false", true],
    ["part", "more", "1.5", true],
    ["part", "equals", "2.0", true],
    ["facts.value", "more", "1200.49", true],
    ["facts.value", "more", "1200.5", false],
    ["facts.value", "not_equals", "-3", false],
    ["facts.value", "less", "-2", true],
    ["facts.value", "at_most", "-3", true],
    ["facts.value", "at_least", "2026-01-31", true],
    ["facts.name", "equals", "count", true],
    ["facts.name", "not_equals", "count", false],
    ["facts.name", "not_equals", "average", true],
    ["detail.changed", "equals", "name", true],
    ["big", "equals", "9007199254740992", false],
    ["big", "more", "9007199254740992", true],
    ["absent", "not_equals", "x", false],
    ["absent", "is_empty", null, true],
    ["summary.deeper", "equals", "x", false],
    ["nothing", "is_empty", null, true],
    ["empty", "is_empty", null, true],
    ["part", "is_empty", null, false],
    ["part", "equals", `1${"0".repeat(400)}`, false],
  ];
  test.for(cases)("%s %s %s: %s", async ([field, operator, value, expected], { deps }) => {
    const { rows } = await deps.db.pool.query("SELECT meets_event_condition($1, $2, $3, $4) AS meets", [
      JSON.stringify(data),
      field,
      operator,
      value,
    ]);
    expect(rows).toEqual([{ meets: expected }]);
  });

  test("lets an event pass whose data the database cannot search", async ({ deps }) => {
    const filter = { automationIds: [], folderIds: [], conditions: never };
    const body = Buffer.from(JSON.stringify({ data: { summary: "left\0right" } }));
    const { rows } = await deps.db.pool.query("SELECT passes_event_filter($1, NULL, $2, NULL) AS passes", [
      JSON.stringify(filter),
      body,
    ]);
    expect(rows).toEqual([{ passes: true }]);
  });
});

test("a filter names what the organization has, and fields of the events that are asked for", async ({
  deps,
  make,
  team,
  filtered,
}) => {
  const { owner, automation, inner } = await team();
  const other = await team();
  const { id } = await filtered(owner, { automationIds: [automation.id] });
  const update = (change: Omit<UpdateWebhookEndpoint, "id">) =>
    updateEndpoint(deps, owner, { id, ...change });
  const refused: [Omit<UpdateWebhookEndpoint, "id">, string][] = [
    [{ filter: WebhookFilter.parse({ automationIds: [other.automation.id] }) }, "filter.automationIds.0"],
    [{ filter: WebhookFilter.parse({ folderIds: [other.inner.id] }) }, "filter.folderIds.0"],
    [{ filter: WebhookFilter.parse({ folderIds: [automation.id] }) }, "filter.folderIds.0"],
    [
      { filter: WebhookFilter.parse({ conditions: [{ ...always[0], field: "sumary" }] }) },
      "filter.conditions.0.field",
    ],
    [{ eventTypes: ["audit.entry.created"] }, "eventTypes"],
  ];
  for (const [change, path] of refused) {
    await expect(update(change)).rejects.toMatchObject({ code: "invalid_request", errors: [{ path }] });
  }
  await expect(filtered(owner, { folderIds: [other.inner.id] })).rejects.toMatchObject({
    errors: [{ path: "filter.folderIds.0" }],
  });
  const conditions = [{ field: "detail.name", operator: "equals" as const, value: "Revenue" }];
  const eventTypes = ["audit.entry.created" as const];
  expect(await update({ eventTypes, filter: WebhookFilter.parse({ conditions }) })).toMatchObject({
    filter: { automations: [], conditions },
  });
  await update({
    eventTypes: ["automation.run.failed"],
    filter: WebhookFilter.parse({ folderIds: [inner.id] }),
  });
  const entries = await deps.db.prisma.auditEntry.findMany({
    where: { targetId: id },
    orderBy: { id: "asc" },
  });
  expect(entries.map(({ detail }) => detail)).toMatchObject([
    { filter: [`automation ${automation.id}`] },
    { changed: ["eventTypes", "filter"], filter: ["detail.name equals"] },
    { changed: ["eventTypes", "filter"], filter: [`folder ${inner.id}`] },
  ]);
  const member = await make.owner();
  await expect(getEndpoint(deps, member, { id })).rejects.toMatchObject({ code: "not_found" });
});

test("a filter on an automation that was deleted stays, and lets nothing else pass", async ({
  deps,
  hooks,
  team,
  filtered,
}) => {
  const { owner, automation, filed } = await team();
  const { id } = await filtered(owner, { automationIds: [automation.id] });
  await deleteAutomation(deps, owner, automation);
  const automations = [{ id: automation.id, name: null }];
  expect(await getEndpoint(deps, owner, { id })).toMatchObject({ filter: { automations } });
  // A form sends the filter again.
  const filter = WebhookFilter.parse({ automationIds: [automation.id] });
  expect(await updateEndpoint(deps, owner, { id, description: "New", filter })).toMatchObject({
    filter: { automations },
  });
  const { organizationId } = owner;
  await hooks.emit({ organizationId, automationId: filed.id });
  await hooks.emit({ organizationId });
  expect(await hooks.deliveries({ endpointId: id })).toEqual([]);
  expect(await updateEndpoint(deps, owner, { id, filter: null })).toMatchObject({ filter: null });
  await hooks.emit({ organizationId });
  expect(await hooks.deliveries({ endpointId: id })).toHaveLength(1);
});

test("tests and resends are sent whatever the filter", async ({ deps, hooks, team }) => {
  const { owner } = await team();
  const receiver = await hooks.receiver(answer(200));
  const { id } = await hooks.endpoint(owner, receiver.url);
  const pump = await hooks.pump();
  const eventId = await hooks.emit(owner);
  await pump.drain();
  await updateEndpoint(deps, owner, { id, filter: WebhookFilter.parse({ conditions: never }) });
  await hooks.emit(owner);
  const [delivery] = await hooks.deliveries({ eventId });
  await resendDelivery(deps, owner, { id: delivery?.id ?? "" });
  await sendTestEvent(deps, owner, { id });
  await pump.drain();
  const sent = receiver.requests.map(({ headers }) => headers["svc-webhook-id"]);
  expect(sent).toHaveLength(3);
  expect(sent.filter((one) => one === eventId)).toHaveLength(2);
});
