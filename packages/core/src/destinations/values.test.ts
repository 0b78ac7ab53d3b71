import { expect } from "vitest";
import { triggerAutomation } from "../automations/index.ts";
import { createReference } from "../references/index.ts";
import { automationTest } from "../testing/automation-test.ts";
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
