import {
  AutomationRecipients,
  type Caller,
  type ConditionRule,
  newId,
  type RecipientMessage,
  recipientEventType,
} from "@querybell/domain";
import { describe, expect } from "vitest";
import { z } from "zod";
import { createDestination, updateDestination } from "../../destinations/index.ts";
import { updateQuery } from "../../queries/index.ts";
import { runQuery } from "../../runs/index.ts";
import { automationTest } from "../../testing/automation-test.ts";
import { deleteEndpoint } from "../../webhooks/index.ts";
import {
  endAutomationRun,
  getRunRecipients,
  previewRecipients,
  triggerAutomation,
  updateAutomation,
} from "../index.ts";

type To = z.input<typeof AutomationRecipients>["to"];
type Row = [recipient: string | null, customer: string, amount?: string];

const Stored = z.object({ type: z.string(), data: z.custom<RecipientMessage>() });

const text = (value: string | null) => (value === null ? "NULL" : `'${value.replaceAll("'", "''")}'`);

/** A query with these rows. */
const rowsOf = (rows: Row[]) =>
  `SELECT * FROM (VALUES ${rows.map(([who, customer, amount = "1.50"]) => `(${text(who)}, ${text(customer)}, ${amount})`).join(", ")}) t(manager, customer, amount)`;

const changedRows: ConditionRule = {
  condition: {
    kind: "rows_changed",
    changes: ["entered", "left", "changed"],
    key: ["customer"],
    where: [],
  },
  metForRuns: 1,
  resolvedForRuns: 1,
  repeatAfterMinutes: null,
  tellsResolved: true,
};

const test = automationTest.extend("sending", { scope: "file" }, ({ deps, make, runs }) => {
  const mailDestination = async (owner: Caller, domains: string[] = []) => {
    for (const domain of domains) {
      const at = deps.clock.now();
      await deps.db.prisma.organizationDomain.create({
        data: {
          ...{ id: newId(deps.clock), organizationId: owner.organizationId, domain },
          ...{ token: domain, createdAt: at, provenAt: at },
        },
      });
    }
    return createDestination(deps, owner, {
      kind: "mail",
      name: "Managers",
      addresses: ["board@board.test"],
      rowRecipients: { members: true, domains },
    });
  };

  /** The messages of an organization to recipients, with where they go. */
  const messages = async ({ organizationId }: Caller) => {
    const events = await deps.db.prisma.webhookEvent.findMany({
      where: { organizationId, type: recipientEventType },
      include: { deliveries: true },
      orderBy: { id: "asc" },
    });
    return events.map(({ body, deliveries }) => ({
      ...Stored.parse(JSON.parse(Buffer.from(body).toString())).data,
      deliveries: deliveries.map(({ endpointId, state }) => ({ endpointId, state })),
    }));
  };

  /** An automation on one chart, whose rows go to those whom they name. */
  const automation = async (
    owner: Caller,
    { to, sql, rule, ...rest }: { to: To; sql: string; rule?: ConditionRule } & Partial<AutomationRecipients>,
  ) => {
    const reference = await make.reference(owner, sql, { title: "Customers" });
    const { shortId } = reference;
    const recipients = AutomationRecipients.parse({ shortId, column: "manager", to, ...rest });
    const made = await make.automation(owner, {
      references: [{ shortId }],
      recipients,
      ...(rule && { condition: { shortId, rule } }),
    });
    const queryId = reference.currentQuery?.id ?? "";
    const run = async () => runs.end(owner, (await triggerAutomation(deps, owner, made)).id);
    return {
      ...{ automation: made, recipients, shortId, queryId, run },
      runWith: async (changed: string) => {
        await updateQuery(deps, owner, { id: queryId, sql: changed });
        return run();
      },
    };
  };

  return { mailDestination, messages, automation };
});

describe("an automation with recipients", () => {
  test("sends each of them only their rows, exactly, with the end of the run", async ({
    deps,
    make,
    sending,
    runs,
  }) => {
    const owner = await make.owner();
    const anna = await make.member(owner.organizationId);
    const stranger = await make.owner();
    const unproven = await make.member(owner.organizationId);
    await deps.db.prisma.user.update({ where: { id: unproven.userId }, data: { emailVerified: false } });
    const { id: destinationId } = await sending.mailDestination(owner, ["corp.test"]);
    const { run } = await sending.automation(owner, {
      to: { kind: "addresses", destinationId },
      sql: rowsOf([
        [anna.email.toUpperCase(), "Acme <x>", "12345678901234567890.10"],
        ["ben@corp.test", "Globex"],
        [` ${anna.email}`, "Initech"],
        ["board@board.test", "Umbrella"],
        ["x@sub.corp.test", "Soylent"],
        [stranger.email, "Hooli"],
        [unproven.email, "Wonka"],
        ["not an address", "Stark"],
        [null, "Wayne"],
      ]),
    });
    const { id, status } = await run();
    expect(status).toBe("completed");
    const sent = await sending.messages(owner);
    const to = { automationId: expect.any(String), runId: id, chart: "Customers", csv: false };
    const columns = ["manager", "customer", "amount"];
    const deliveries = [{ endpointId: destinationId, state: "held" }];
    const mail = (address: string, rows: unknown[], isMember = false) => ({
      ...{ ...to, columns, deliveries, recipient: address, address, isMember },
      ...{ rowCount: rows.length, rows },
    });
    expect(sent).toEqual([
      mail(
        anna.email,
        [
          [anna.email.toUpperCase(), "Acme <x>", "12345678901234567890.10"],
          [` ${anna.email}`, "Initech", "1.50"],
        ],
        true,
      ),
      mail("ben@corp.test", [["ben@corp.test", "Globex", "1.50"]]),
      mail("board@board.test", [["board@board.test", "Umbrella", "1.50"]]),
    ]);
    expect(await getRunRecipients(deps, owner, { id })).toEqual({
      told: sent.map(({ recipient, rowCount }) => ({ recipient, rowCount, eventId: expect.any(String) })),
      leftOut: [
        { recipient: "x@sub.corp.test", rowCount: 1, refusal: "not_allowed" },
        { recipient: stranger.email, rowCount: 1, refusal: "not_allowed" },
        { recipient: unproven.email, rowCount: 1, refusal: "not_allowed" },
        { recipient: "not an address", rowCount: 1, refusal: "not_an_address" },
      ],
      leftOutCount: 4,
      emptyCount: 1,
    });
    // Endpoints and subscriptions get the end of the run, and nothing of the rows.
    expect((await runs.events(owner)).filter(({ type }) => type !== recipientEventType)).toMatchObject([
      { type: "automation.run.completed" },
    ]);
  });

  test("sends each value to its destination", async ({ deps, make, sending }) => {
    const owner = await make.owner();
    const slack = (name: string) =>
      createDestination(deps, owner, { kind: "slack", name, url: "http://127.0.0.1:9/hook" });
    const [north, south] = [await slack("#north"), await slack("#south")];
    const choices = [
      { value: "North", destinationId: north.id },
      { value: "South", destinationId: south.id },
    ];
    const { run } = await sending.automation(owner, {
      to: { kind: "destinations", choices },
      sql: rowsOf([
        ["South", "a"],
        ["North", "b"],
        ["north", "c"],
      ]),
    });
    const { id } = await run();
    expect(await sending.messages(owner)).toMatchObject([
      { recipient: "South", address: null, rowCount: 1, deliveries: [{ endpointId: south.id }] },
      { recipient: "North", address: null, rowCount: 1, deliveries: [{ endpointId: north.id }] },
    ]);
    expect(await getRunRecipients(deps, owner, { id })).toMatchObject({
      leftOut: [{ recipient: "north", refusal: "no_destination" }],
    });
    await deleteEndpoint(deps, owner, { id: north.id });
    expect(await run()).toMatchObject({
      status: "failed",
      failure: { code: "recipients_failed", reason: expect.stringContaining('"North" was deleted') },
    });
    expect(await sending.messages(owner)).toHaveLength(2);
  });

  test("fails and sends nothing if there are more recipients than its limit, or if the result was truncated", async ({
    deps,
    make,
    sending,
    runs,
  }) => {
    const owner = await make.owner();
    const { id: destinationId } = await sending.mailDestination(owner, ["corp.test"]);
    const to = { kind: "addresses", destinationId } as const;
    const three = rowsOf(["a", "b", "c"].map((name) => [`${name}@corp.test`, name]));
    const { run, automation, shortId } = await sending.automation(owner, { to, sql: three, maxMessages: 2 });
    expect(await run()).toMatchObject({
      status: "failed",
      failure: { code: "recipients_failed", reason: expect.stringMatching(/3 recipients.*at most 2/) },
    });
    const recipients = AutomationRecipients.parse({ shortId, column: "nobody", to });
    await updateAutomation(deps, owner, { id: automation.id, recipients });
    expect(await run()).toMatchObject({ failure: { reason: expect.stringContaining('no column "nobody"') } });
    const cut = await make.reference(owner, three, { limits: { rows: 1 } });
    const ofCut = await make.automation(owner, {
      references: [{ shortId: cut.shortId }],
      recipients: AutomationRecipients.parse({ shortId: cut.shortId, column: "manager", to }),
    });
    const { id } = await triggerAutomation(deps, owner, ofCut);
    expect(await runs.end(owner, id)).toMatchObject({
      failure: { code: "recipients_failed", reason: expect.stringContaining("truncated") },
    });
    expect(await sending.messages(owner)).toEqual([]);
  });

  test("fails if the key is missing with which the addresses of its destination are sealed", async ({
    deps,
    make,
    sending,
  }) => {
    const owner = await make.owner();
    const { id: destinationId } = await sending.mailDestination(owner);
    const { run } = await sending.automation(owner, {
      to: { kind: "addresses", destinationId },
      sql: rowsOf([["board@board.test", "Acme"]]),
    });
    const other = await createDestination(deps, owner, { kind: "mail", name: "B", addresses: ["b@b.test"] });
    const { sealed } = await deps.db.prisma.webhookSecret.findFirstOrThrow({
      where: { endpointId: other.id },
    });
    await deps.db.prisma.webhookSecret.updateMany({ where: { endpointId: destinationId }, data: { sealed } });
    expect(await run()).toMatchObject({
      failure: { code: "recipients_failed", reason: expect.stringContaining("cannot be read") },
    });
    expect(await sending.messages(owner)).toEqual([]);
  });

  test("sends only rows that its condition names, in runs in which it is met", async ({
    make,
    sending,
    deps,
  }) => {
    const owner = await make.owner();
    const { id: destinationId } = await sending.mailDestination(owner, ["corp.test"]);
    const before: Row[] = [
      ["anna@corp.test", "Acme"],
      ["ben@corp.test", "Globex"],
      ["eve@corp.test", "Hooli"],
    ];
    const { run, runWith } = await sending.automation(owner, {
      to: { kind: "addresses", destinationId },
      sql: rowsOf(before),
      rule: changedRows,
    });
    await run();
    await run();
    expect(await sending.messages(owner)).toEqual([]);
    const { id } = await runWith(
      rowsOf([
        ["anna@corp.test", "Acme"],
        ["anna@corp.test", "Initech"],
        ["ben@corp.test", "Globex", "2.50"],
      ]),
    );
    const told = await sending.messages(owner);
    expect(told.map(({ recipient, rows }) => [recipient, rows])).toEqual([
      ["anna@corp.test", [["entered", "anna@corp.test", "Initech", "1.50"]]],
      ["ben@corp.test", [["changed", "ben@corp.test", "Globex", "2.50"]]],
      ["eve@corp.test", [["left", "eve@corp.test", "Hooli", "1.50"]]],
    ]);
    expect(told[0]?.columns).toEqual(["change", "manager", "customer", "amount"]);
    await run();
    expect(await sending.messages(owner)).toHaveLength(3);

    // A run whose messages cannot be made counts as failed: what changed is told by the next one.
    await updateDestination(deps, owner, { id: destinationId, rowRecipients: null });
    expect(await runWith(rowsOf([["ben@corp.test", "Globex", "3.50"]]))).toMatchObject({
      failure: { code: "recipients_failed", reason: expect.stringContaining("takes no addresses") },
    });
    await updateDestination(deps, owner, {
      id: destinationId,
      rowRecipients: { members: false, domains: ["corp.test"] },
    });
    await run();
    const later = (await sending.messages(owner)).slice(3);
    expect(later.map(({ recipient, rows }) => [recipient, rows.map(([change]) => change)])).toEqual([
      ["ben@corp.test", ["changed"]],
      ["anna@corp.test", ["left", "left"]],
    ]);
    expect(await deps.db.prisma.runRecipients.count({ where: { runId: id } })).toBe(1);
  });

  test("stores nothing if the lease of its run is lost", async ({ deps, make, sending }) => {
    const owner = await make.owner();
    const { id: destinationId } = await sending.mailDestination(owner);
    const { automation } = await sending.automation(owner, {
      to: { kind: "addresses", destinationId },
      sql: rowsOf([["board@board.test", "Acme"]]),
    });
    const { organizationId } = owner;
    const run = await triggerAutomation(deps, owner, automation);
    const lost = {
      ...run,
      organizationId,
      automationId: automation.id,
      automationName: "A",
      leaseNumber: 99,
    };
    const outcome = { told: [], leftOut: [], leftOutCount: 0, emptyCount: 0 };
    const body = JSON.stringify({ type: recipientEventType, data: {} });
    const events = [{ eventId: newId(deps.clock), endpointId: destinationId, body }];
    const end = { kind: "completed", summary: "Done." } as const;
    const messages = { events, outcome };
    expect(await endAutomationRun(deps, lost, end, { messages })).toBeUndefined();
    const stored = { where: { organizationId, id: events[0]?.eventId ?? "" } };
    expect(await deps.db.prisma.webhookEvent.count(stored)).toBe(0);
  });

  test("is refused without a destination that takes addresses from rows", async ({ deps, make, sending }) => {
    const [owner, other] = [await make.owner(), await make.owner()];
    const own = await createDestination(deps, owner, { kind: "mail", name: "A", addresses: ["a@a.test"] });
    const foreign = await sending.mailDestination(other);
    const sql = rowsOf([["board@board.test", "Acme"]]);
    const refused = (destinationId: string) =>
      sending.automation(owner, { to: { kind: "addresses", destinationId }, sql });
    const path = "recipients.to.destinationId";
    await expect(refused(own.id)).rejects.toMatchObject({ code: "invalid_request", errors: [{ path }] });
    await expect(refused(foreign.id)).rejects.toMatchObject({ code: "not_found", errors: [{ path }] });
    const unproven = { members: false, domains: ["not-ours.test"] };
    await expect(
      updateDestination(deps, owner, { id: own.id, rowRecipients: unproven }),
    ).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("not-ours.test"),
      errors: [{ path: "rowRecipients.domains.0", message: expect.stringContaining("not-ours.test") }],
    });
  });
});

test("a preview shows who would get what, and stores nothing", async ({ deps, make, sending, runs }) => {
  const owner = await make.owner();
  const { id: destinationId } = await sending.mailDestination(owner);
  const to = { kind: "addresses", destinationId } as const;
  const sql = rowsOf([
    ["board@board.test", "Acme"],
    ["other@else.test", "Globex"],
  ]);
  const { recipients, queryId } = await sending.automation(owner, { to, sql, maxMessages: 1 });
  const preview = { recipients, parameterValues: {} };
  await expect(previewRecipients(deps, owner, preview)).rejects.toMatchObject({ code: "result_not_found" });
  await runQuery(deps, owner, { id: queryId, parameterValues: {} });
  await runs.settled(owner, queryId);
  expect(await previewRecipients(deps, owner, preview)).toEqual({
    resultAt: expect.any(String),
    problem: expect.stringMatching(/2 recipients.*at most 1/),
    recipients: [
      {
        ...{ recipient: "board@board.test", rowCount: 1, refusal: null },
        columns: ["manager", "customer", "amount"],
        rows: [["board@board.test", "Acme", "1.50"]],
      },
      expect.objectContaining({ recipient: "other@else.test", refusal: "not_allowed" }),
    ],
    recipientCount: 2,
    emptyCount: 0,
  });
  const other = await make.owner();
  await expect(previewRecipients(deps, other, preview)).rejects.toMatchObject({ code: "not_found" });
  expect(await sending.messages(owner)).toEqual([]);
});
