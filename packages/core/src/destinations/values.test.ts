import { expect } from "vitest";
import { triggerAutomation } from "../automations/index.ts";
import { updateSettings } from "../organizations/index.ts";
import { createReference } from "../references/index.ts";
import { automationTest } from "../testing/automation-test.ts";
import { createDestination } from "./index.ts";
import { linkPictures } from "./link-pictures.ts";
import { maxCsvBytes, readCsvFiles } from "./read-csv-files.ts";
import { readMessage } from "./read-message.ts";
import { readPictures } from "./read-pictures.ts";

const visualization = {
  type: "bar" as const,
  jsxConfig: '<BarChart><XAxis dataKey="name" /><YAxis /><Bar dataKey="weight" /></BarChart>',
  marginConfig: { top: 0, right: 0, bottom: 0, left: 0 },
};

automationTest(
  "a message has the values of the run that it tells of, and the pictures until a newer run has ended",
  async ({ deps, make, runs }) => {
    const owner = await make.owner();
    const { id: queryId } = await make.query(owner, "SELECT name, weight FROM fruits ORDER BY name");
    const { shortId } = await createReference(deps, owner, { queryId, title: "Weights", visualization });
    const automation = await make.automation(owner, { references: [{ shortId }] });
    const tell = async () => {
      const { id } = await triggerAutomation(deps, owner, automation);
      await runs.end(owner, id);
      const { id: eventId, body } = await deps.db.prisma.webhookEvent.findFirstOrThrow({
        where: { dedupeKey: `automation_run:${id}` },
      });
      return () => readMessage(deps, { eventId, isTest: false, body });
    };
    const read = await tell();
    const { message, run } = await read();
    expect(message.tables).toMatchObject([{ title: "Weights", columns: ["name", "weight"] }]);
    expect(message.tables[0]?.rows).toHaveLength(message.tables[0]?.rowCount ?? 0);
    if (!run) throw new Error("The message is about no run.");
    const [picture] = await readPictures(deps, run);
    expect(picture?.title).toBe("Weights");
    expect(Buffer.from(picture?.png.slice(1, 4) ?? []).toString()).toBe("PNG");

    await tell();
    expect((await read()).message).toEqual(message);
    expect(await readPictures(deps, run)).toEqual([]);
  },
);

automationTest(
  "pictures for Slack and Teams have the same addresses at each attempt, if public links are allowed",
  async ({ deps, make, runs }) => {
    const owner = await make.owner();
    const { organizationId } = owner;
    const { id: queryId } = await make.query(owner, "SELECT name, weight FROM fruits ORDER BY name");
    const chart = await createReference(deps, owner, { queryId, title: "Weights", visualization });
    const personal = await make.query(owner, "SELECT {{user_email}} AS name, 3 AS weight");
    const other = await createReference(deps, owner, { queryId: personal.id, title: "Mine", visualization });
    const automation = await make.automation(owner, {
      references: [{ shortId: other.shortId }, { shortId: chart.shortId }],
    });
    const { id: runId } = await triggerAutomation(deps, owner, automation);
    await runs.end(owner, runId);
    const { id: eventId } = await deps.db.prisma.webhookEvent.findFirstOrThrow({
      where: { dedupeKey: `automation_run:${runId}` },
    });
    const link = () => linkPictures(deps, { eventId, run: { runId, organizationId } });
    expect(await link()).toEqual([]);
    await updateSettings(deps, owner, { publicLinks: true });
    // Not the chart whose rows depend on who looks at it.
    const [first, again] = await Promise.all([link(), link()]);
    expect(first).toEqual([
      { title: "Weights", url: expect.stringMatching(/^http:.*\/p\/pictures\/[\w-]{32}\.png$/) },
    ]);
    expect([again, await link()]).toEqual([first, first]);
    const [stored] = await deps.db.prisma.messagePicture.findMany({ where: { eventId } });
    const png = Buffer.from(stored?.png ?? []);
    // As large as Teams shows them, at most.
    expect([png.readUInt32BE(16), png.readUInt32BE(20) <= 1_024]).toEqual([900, true]);
    const days = Math.round(((stored?.expiresAt.getTime() ?? 0) - deps.clock.now().getTime()) / 86_400_000);
    expect(days).toBe(30);
  },
);

automationTest(
  "a mail has the charts as CSV files, if its automation wants them, and says which it leaves out",
  async ({ deps, make, runs }) => {
    const owner = await make.owner();
    const { organizationId } = owner;
    const { id: endpointId } = await createDestination(deps, owner, {
      ...{ kind: "mail", name: "Board", addresses: ["board@example.test"] },
    });
    const exact = await make.reference(
      owner,
      "SELECT 12345678901234567890.10 AS n, NULL AS a, '' AS b, 'x,y' AS c",
      {
        title: "Exact/values",
      },
    );
    const large = `SELECT repeat('x', 1000) AS text FROM range(${Math.ceil(maxCsvBytes / 1000)})`;
    const tooLarge = await make.reference(owner, large, { title: "Large" });
    const automation = await make.automation(owner, {
      references: [{ shortId: exact.shortId }, { shortId: tooLarge.shortId }],
      destinations: [{ destinationId: endpointId, events: ["automation.run.completed"], csv: true }],
    });
    const tell = async () => {
      const { id: runId } = await triggerAutomation(deps, owner, automation);
      expect(await runs.end(owner, runId)).toMatchObject({ status: "completed" });
      return { runId, organizationId };
    };
    const run = await tell();
    const { files, notes } = await readCsvFiles(deps, run, endpointId);
    expect(files.map(({ name }) => name)).toEqual([expect.stringMatching(/^Exact values \d{4}-.*\.csv$/)]);
    expect(Buffer.from(files[0]?.content ?? []).toString()).toBe(
      'n,a,b,c\r\n12345678901234567890.10,,"","x,y"\r\n',
    );
    expect(notes).toEqual([
      'the CSV of "Large" is left out: files of more than 6 MiB are not sent by mail. Download it in Querybell',
    ]);
    await tell();
    expect(await readCsvFiles(deps, run, endpointId)).toMatchObject({
      files: [],
      notes: [expect.stringContaining("a newer run has replaced the result"), expect.anything()],
    });
    const unwanted = { ...run, runId: (await tell()).runId };
    expect(await readCsvFiles(deps, unwanted, automation.id)).toEqual({ files: [], notes: [] });
  },
);
