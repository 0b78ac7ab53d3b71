import {
  type Caller,
  type CreateDestination,
  newId,
  type RecipientMessage,
  recipientEventType,
} from "@querybell/domain";
import { newPageToken } from "@querybell/public-pages";
import { createSender } from "@querybell/webhooks";
import { describe, expect } from "vitest";
import { getAutomation, triggerAutomation, updateAutomation } from "../automations/index.ts";
import { endAutomationRun } from "../automations/runs/end-automation-run.ts";
import { updateSettings } from "../organizations/index.ts";
import { claimOneAutomationRun } from "../testing/claim-one.ts";
import { answer, deliveryTest, standIn } from "../testing/delivery-test.ts";
import {
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  getDelivery,
  getEndpoint,
  resendDelivery,
  rotateSecret,
  searchDeliveries,
  sendTestEvent,
} from "../webhooks/index.ts";
import {
  createDestination,
  createMessenger,
  type DestinationMail,
  getDestination,
  listDestinations,
  updateDestination,
} from "./index.ts";

const both = ["automation.run.completed" as const, "automation.run.failed" as const];

const test = deliveryTest.extend("told", { scope: "file" }, async ({ deps, make, hooks, clock }) => {
  const mails: DestinationMail[] = [];
  /** The answer of the mail server, or its error. */
  const mailServer = { answer: async () => "250 kept" };

  const pump = (options: Parameters<typeof hooks.pump>[0] = {}) => {
    const sender = createSender(deps);
    const sendMail = async (mail: DestinationMail) => {
      mails.push(mail);
      return mailServer.answer();
    };
    const messenger = createMessenger({ ...deps, sender, sendMail, onError: console.error });
    return hooks.pump({ messenger, ...options });
  };

  /** An automation that has chosen a destination. */
  const automation = async (caller: Caller, destination: CreateDestination, events = both) => {
    const { id } = await createDestination(deps, caller, destination);
    const made = await make.automation(caller, { destinations: [{ destinationId: id, events }] });
    return { destinationId: id, automation: made };
  };

  /** Runs an automation to its end, without its agent. */
  const run = async (
    caller: Caller,
    { id }: { id: string },
    summary: string | null = "Revenue is 12.50.",
  ) => {
    const triggered = await triggerAutomation(deps, caller, { id });
    const claimed = await claimOneAutomationRun(deps, triggered.id);
    if (!claimed) throw new Error("The run was not claimed.");
    const named = { ...claimed, automationName: claimed.brief.name };
    await endAutomationRun(
      deps,
      named,
      summary === null
        ? { kind: "failed", failure: { code: "query_failed", reason: "The database is away." } }
        : { kind: "completed", summary },
    );
    return triggered;
  };

  /** A mail destination, and a run of an automation that has sent it a message for each recipient. */
  const sendToEach = async (
    caller: Caller,
    recipients: Omit<RecipientMessage, "automationId" | "runId">[],
  ) => {
    const { id } = await createDestination(deps, caller, {
      ...({ kind: "mail", name: "Managers", addresses: ["board@board.test"] } as const),
      rowRecipients: { members: true, domains: [] },
    });
    const { id: automationId } = await make.automation(caller);
    const triggered = await triggerAutomation(deps, caller, { id: automationId });
    const claimed = await claimOneAutomationRun(deps, triggered.id);
    if (!claimed) throw new Error("The run was not claimed.");
    const events = recipients.map((recipient) => {
      const eventId = newId(deps.clock);
      const data = { automationId, runId: triggered.id, ...recipient };
      const createdAt = deps.clock.now().toISOString();
      const body = JSON.stringify({ id: eventId, type: recipientEventType, createdAt, data });
      return { eventId, endpointId: id, body };
    });
    const outcome = { told: [], leftOut: [], leftOutCount: 0, emptyCount: 0 };
    const end = { kind: "completed", summary: "Revenue is 12.50." } as const;
    const named = { ...claimed, automationName: claimed.brief.name };
    await endAutomationRun(deps, named, end, { messages: { events, outcome } });
    return { destinationId: id };
  };

  /** Lets a second pass: a destination gets one message a second. */
  const nextSecond = () => clock.advance(1_000);

  return { mails, mailServer, pump, automation, run, sendToEach, nextSecond };
});

describe("an automation that has chosen a destination", () => {
  test.for(["slack", "teams", "discord"] as const)(
    "tells it in a message for %s, and no other destination",
    async (kind, { deps, hooks, told }) => {
      const owner = await hooks.owner();
      const place = await hooks.receiver(standIn(kind));
      const other = await hooks.receiver(answer(200));
      await createDestination(deps, owner, { kind, name: "Other", url: other.url });
      const { automation, destinationId } = await told.automation(owner, {
        kind,
        name: "#revenue",
        url: place.url,
      });
      const { chatUrl } = await told.run(owner, automation, "Revenue is <12.50> & rising.");
      await (await told.pump()).drain();
      expect(await hooks.deliveries({ endpointId: destinationId })).toMatchObject([
        { state: "succeeded", attempts: [{ outcome: "success", status: 200 }] },
      ]);
      const [request] = place.requests;
      expect(Object.keys(request?.headers ?? {}).join()).not.toContain("signature");
      for (const text of [automation.name, chatUrl, "12.50"])
        expect(request?.body.toString()).toContain(text);
      expect(other.requests).toEqual([]);
    },
  );

  test("tells it only the events that it chose", async ({ hooks, told, deps }) => {
    const owner = await hooks.owner();
    const place = await hooks.receiver(standIn("slack"));
    const destination = { kind: "slack", name: "#alarms", url: place.url } as const;
    const { automation, destinationId } = await told.automation(owner, destination, [
      "automation.run.failed",
    ]);
    await told.run(owner, automation);
    await told.run(owner, automation, null);
    await (await told.pump()).drain();
    expect(place.requests.map(({ body }) => body.toString())).toEqual([
      expect.stringContaining("The database is away."),
    ]);
    await updateAutomation(deps, owner, { id: automation.id, destinations: [] });
    await told.run(owner, automation, null);
    expect(await hooks.states(destinationId)).toEqual(["succeeded"]);
  });

  test("tells mail addresses, with the same message id at each attempt", async ({
    deps,
    hooks,
    told,
    clock,
  }) => {
    const owner = await hooks.owner();
    const addresses = ["a@example.test", "b@example.test"];
    const { automation, destinationId } = await told.automation(owner, {
      kind: "mail",
      name: "Board",
      addresses,
    });
    expect(await getDestination(deps, owner, { id: destinationId })).toMatchObject({
      addresses,
      shownAddress: "2 mail addresses",
    });
    told.mailServer.answer = () =>
      Promise.reject(Object.assign(new Error("450 later"), { responseCode: 450 }));
    await told.run(owner, automation, "Revenue is <12.50>.\nOrders: 3");
    const pump = await told.pump();
    await pump.drain();
    told.mailServer.answer = async () => "250 kept";
    await clock.advance(60_000);
    await pump.drain();
    expect(await hooks.deliveries({ endpointId: destinationId })).toMatchObject([
      { state: "succeeded", attempts: [{ outcome: "status_450" }, { outcome: "success", status: 250 }] },
    ]);
    const [first, second] = told.mails;
    expect(first).toEqual(second);
    expect(first).toMatchObject({ to: addresses, subject: automation.name });
    expect(first?.html).toContain("Revenue is &lt;12.50&gt;.<br>Orders: 3");
    expect(first?.text).toContain("Revenue is <12.50>.\nOrders: 3");
  });
});

test("a message whose picture Slack cannot open arrives without it", async ({ deps, hooks, told, make }) => {
  const owner = await hooks.owner();
  const { organizationId } = owner;
  await updateSettings(deps, owner, { publicLinks: true });
  const shown: boolean[] = [];
  const place = await hooks.receiver((response, _, body) => {
    const hasPicture = body.includes('"type":"image"');
    shown.push(hasPicture);
    response.writeHead(hasPicture ? 400 : 200).end(hasPicture ? "invalid_blocks" : "ok");
  });
  const { automation, destinationId } = await told.automation(owner, {
    ...({ kind: "slack", name: "#revenue" } as const),
    url: place.url,
  });
  const { id } = await told.run(owner, automation);
  const event = await deps.db.prisma.webhookEvent.findFirstOrThrow({
    where: { dedupeKey: `automation_run:${id}` },
  });
  const chart = await make.reference(owner, "SELECT 1");
  await deps.db.prisma.messagePicture.create({
    data: {
      ...{ eventId: event.id, position: 0, organizationId, ...newPageToken(), title: "Revenue" },
      ...{ png: new Uint8Array([1]), referenceIds: [chart.id], rowRightsVersions: [0] },
      expiresAt: new Date(deps.clock.now().getTime() + 1_000),
    },
  });
  await (await told.pump()).drain();
  expect(shown).toEqual([true, false]);
  expect(await hooks.deliveries({ endpointId: destinationId })).toMatchObject([
    { state: "succeeded", attempts: [{ outcome: "success" }] },
  ]);
});

/** As the mail client rejects when the server refuses all addresses. */
const refuses = (response: string) =>
  Promise.reject(
    Object.assign(new Error(`All recipients were rejected: ${response}`), {
      ...{ response, responseCode: Number(response.slice(0, 3)), command: "RCPT TO" },
    }),
  );

describe("a message to one of many people", () => {
  const rows = [
    ["Acme <x>", null],
    ["Globex, Inc.", ""],
  ];
  const of = (address: string, more: Partial<RecipientMessage> = {}) => ({
    ...{ recipient: address, address, isMember: false, csv: true, chart: "Customers", rowCount: 2 },
    ...{ columns: ["customer", "note"], rows, ...more },
  });

  test("has only their rows, as a table and a file, and a link for members", async ({ hooks, told }) => {
    const owner = await hooks.owner();
    const { destinationId } = await told.sendToEach(owner, [
      of("board@board.test"),
      of(owner.email, { isMember: true, rowCount: 3, rows: [["Initech", null]] }),
    ]);
    told.mails.length = 0;
    const pump = await told.pump();
    await pump.drain();
    await told.nextSecond();
    await pump.drain();
    expect(await hooks.states(destinationId)).toEqual(["succeeded", "succeeded"]);
    const [outsider, member] = told.mails;
    expect(outsider).toMatchObject({ to: ["board@board.test"], isToOne: true });
    expect(outsider?.html).toContain("Acme &lt;x&gt;");
    expect(outsider?.text).not.toMatch(/Initech|Revenue|Open it in Querybell/);
    expect(outsider?.text).toContain("a row of “Customers” names board@board.test");
    expect(outsider?.attachments).toMatchObject([
      { filename: expect.stringMatching(/^Customers \d{4}-\d\d-\d\d\.csv$/) },
    ]);
    const [file] = outsider?.attachments ?? [];
    expect(Buffer.from(file?.content ?? []).toString()).toBe(
      'customer,note\r\nAcme <x>,\r\n"Globex, Inc.",""\r\n',
    );
    expect(member?.text).toMatch(/Initech.*Open it in Querybell.*3 rows are too many/s);
    expect(member?.attachments).toEqual([]);
  });

  test("that the mail server refuses for good is not tried again, and does not disable the destination", async ({
    deps,
    hooks,
    told,
    clock,
  }) => {
    const owner = await hooks.owner();
    const { destinationId } = await told.sendToEach(
      owner,
      Array.from({ length: 6 }, (_, at) => of("board@board.test", { recipient: `${at}` })),
    );
    told.mailServer.answer = () => refuses("550 5.1.1 gone");
    const lanes = new Set<string>();
    const pump = await told.pump({ observer: { onAttempt: ({ lane }) => lanes.add(lane) } });
    for (let sent = 0; sent < 6; sent++) {
      await pump.drain();
      await clock.advance(1_000);
    }
    told.mailServer.answer = async () => "250 kept";
    expect(await hooks.deliveries({ endpointId: destinationId })).toMatchObject(
      Array(6).fill({ state: "exhausted", attempts: [{ outcome: "refused_recipient" }] }),
    );
    expect(await getDestination(deps, owner, { id: destinationId })).toMatchObject({
      state: "enabled",
      consecutiveFailures: 0,
    });
    expect([...lanes]).toEqual(["untried"]);
  });

  test.for([
    "550 5.7.1 Relaying denied",
    "554 5.7.1 Your address is on a block list",
    "553 5.1.8 The domain of the sender does not exist",
    "550 Refused",
    "552 5.2.2 The mailbox is full",
  ])("is tried again after the answer: %s", async (response, { hooks, told, clock }) => {
    const owner = await hooks.owner();
    const { destinationId } = await told.sendToEach(owner, [of("board@board.test")]);
    told.mailServer.answer = () => refuses(response);
    const pump = await told.pump();
    await pump.drain();
    told.mailServer.answer = async () => "250 kept";
    expect(await hooks.states(destinationId)).toEqual(["pending"]);
    await clock.advance(60_000);
    await pump.drain();
    expect(await hooks.deliveries({ endpointId: destinationId })).toMatchObject([
      {
        state: "succeeded",
        attempts: [{ outcome: `status_${response.slice(0, 3)}` }, { outcome: "success" }],
      },
    ]);
  });

  test("is not sent once the destination may not write to the address any more, and can be sent again", async ({
    deps,
    hooks,
    told,
  }) => {
    const owner = await hooks.owner();
    const { destinationId: id } = await told.sendToEach(owner, [of("board@board.test")]);
    await updateDestination(deps, owner, { id, addresses: ["other@board.test"] });
    told.mails.length = 0;
    const pump = await told.pump();
    await pump.drain();
    expect([await hooks.states(id), told.mails]).toEqual([["exhausted"], []]);
    await updateDestination(deps, owner, { id, addresses: ["board@board.test"] });
    const [delivery] = (await searchDeliveries(deps, owner, { endpointId: id, limit: 5 })).items;
    const { body, attempts } = await getDelivery(deps, owner, { id: delivery?.id ?? "" });
    expect(body).toMatch(/^To: board@board\.test\n.*2 rows of “Customers”/s);
    expect(attempts).toMatchObject([{ sentence: expect.stringContaining("may not write to this address") }]);
    await resendDelivery(deps, owner, { id: delivery?.id ?? "" });
    await told.nextSecond();
    await pump.drain();
    expect(told.mails).toMatchObject([{ to: ["board@board.test"] }]);
  });
});

describe("a destination", () => {
  test("waits as long as it asks for, with every message", async ({ hooks, told, clock }) => {
    const owner = await hooks.owner();
    let isBusy = true;
    const place = await hooks.receiver((response) =>
      response.writeHead(isBusy ? 429 : 200, isBusy ? { "retry-after": "90" } : {}).end(),
    );
    const destination = { kind: "slack", name: "#busy", url: place.url } as const;
    const { automation, destinationId } = await told.automation(owner, destination);
    await told.run(owner, automation);
    await told.run(owner, automation);
    const pump = await told.pump();
    await pump.drain();
    await clock.advance(60_000);
    await pump.drain();
    // The second message was not tried: the first one was refused.
    expect(place.requests).toHaveLength(1);
    isBusy = false;
    await clock.advance(31_000);
    await pump.drain();
    await told.nextSecond();
    await pump.drain();
    expect(place.requests).toHaveLength(3);
    expect(await hooks.states(destinationId)).toEqual(["succeeded", "succeeded"]);
  });

  test("never shows its URL: not in the log, the audit log or the list", async ({ deps, hooks, told }) => {
    const owner = await hooks.owner();
    const place = await hooks.receiver(answer(500));
    const url = `${place.url}/T000/SECRET`;
    const { automation, destinationId } = await told.automation(owner, {
      kind: "slack",
      name: "#secret",
      url,
    });
    await told.run(owner, automation);
    await (await told.pump()).drain();
    const [delivery] = (await searchDeliveries(deps, owner, { endpointId: destinationId, limit: 5 })).items;
    const { organizationId } = owner;
    const shown = [
      await getDelivery(deps, owner, { id: delivery?.id ?? "" }),
      await listDestinations(deps, owner),
      await getAutomation(deps, owner, automation),
      await deps.db.prisma.auditEntry.findMany({ where: { organizationId } }),
      await deps.db.prisma.webhookEndpoint.findMany({ where: { organizationId } }),
      await deps.db.prisma.webhookAttempt.findMany({ where: { deliveryId: delivery?.id ?? "" } }),
    ];
    expect(JSON.stringify(shown)).not.toContain("SECRET");
    expect(shown[0]).toMatchObject({
      endpointKind: "slack",
      endpointDescription: "#secret",
      body: expect.stringContaining('"type":"header"'),
      attempts: [{ outcome: "status_500", url: `127.0.0.1:${place.port}` }],
    });
  });

  test("is tested, disabled, enabled and deleted like an endpoint", async ({ deps, hooks, told }) => {
    const owner = await hooks.owner();
    const place = await hooks.receiver(standIn("slack"));
    const destination = { kind: "slack", name: "#ops", url: place.url } as const;
    const { automation, destinationId: id } = await told.automation(owner, destination);
    const pump = await told.pump();
    await sendTestEvent(deps, owner, { id });
    await pump.drain();
    expect(place.requests.at(-1)?.body.toString()).toContain("A test from Querybell");
    await disableEndpoint(deps, owner, { id });
    await told.run(owner, automation);
    expect(await getDestination(deps, owner, { id })).toMatchObject({
      state: "disabled",
      held: 1,
    });
    await enableEndpoint(deps, owner, { id, held: "deliver", perSecond: 10 });
    await told.nextSecond();
    await pump.drain();
    expect(await hooks.states(id)).toEqual(["succeeded", "succeeded"]);
    await deleteEndpoint(deps, owner, { id });
    expect((await getAutomation(deps, owner, automation)).destinations).toEqual([]);
    const { organizationId } = owner;
    const entries = await deps.db.prisma.auditEntry.findMany({
      where: { organizationId, targetId: id },
      orderBy: { id: "asc" },
    });
    expect(entries.map(({ action }) => action)).toEqual([
      "destination.created",
      "destination.disabled",
      "destination.enabled",
      "destination.deleted",
    ]);
  });

  test("gets later messages at the URL that replaces the old one", async ({ deps, hooks, told }) => {
    const owner = await hooks.owner();
    const [old, next] = [await hooks.receiver(standIn("slack")), await hooks.receiver(standIn("slack"))];
    const destination = { kind: "slack", name: "#moved", url: old.url } as const;
    const { automation, destinationId: id } = await told.automation(owner, destination);
    await updateDestination(deps, owner, { id, url: next.url });
    await told.run(owner, automation);
    await (await told.pump()).drain();
    expect([old.requests.length, next.requests.length]).toEqual([0, 1]);
  });

  test("is no webhook endpoint: it has no signature, and no list of endpoints shows it", async ({
    deps,
    hooks,
    told,
  }) => {
    const owner = await hooks.owner();
    const place = await hooks.receiver(answer(200));
    const { destinationId: id } = await told.automation(owner, { kind: "slack", name: "#a", url: place.url });
    const { id: endpointId } = await hooks.endpoint(owner, place.url);
    const notFound = { code: "not_found" };
    await expect(getEndpoint(deps, owner, { id })).rejects.toMatchObject(notFound);
    await expect(rotateSecret(deps, owner, { id, overlapHours: 0 })).rejects.toMatchObject(notFound);
    await expect(getDestination(deps, owner, { id: endpointId })).rejects.toMatchObject(notFound);
    await expect(updateDestination(deps, owner, { id: endpointId, name: "b" })).rejects.toMatchObject(
      notFound,
    );
  });

  test("is refused if its URL is not public, or if it is of another organization", async ({
    deps,
    hooks,
    make,
  }) => {
    const [owner, other] = [await hooks.owner(), await hooks.owner()];
    const input = { kind: "slack", name: "#in", url: "http://10.0.0.1/hook" } as const;
    await expect(createDestination(deps, owner, input)).rejects.toMatchObject({
      code: "invalid_request",
      errors: [{ path: "url" }],
    });
    const place = await hooks.receiver(answer(200));
    const foreign = await createDestination(deps, other, { ...input, url: place.url });
    for (const destinationId of [foreign.id, newId(deps.clock)]) {
      const destinations = [{ destinationId, events: both }];
      await expect(make.automation(owner, { destinations })).rejects.toMatchObject({
        code: "not_found",
        errors: [{ path: "destinations.0.destinationId" }],
      });
    }
  });
});
