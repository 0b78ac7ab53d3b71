import { createTestClock } from "@querybell/core/testing";
import { expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";
import { recordEverything } from "../testing/examples/record-everything.ts";
import { stabilize } from "../testing/examples/stabilize.ts";
import { whatIsAudited } from "../testing/what-is-audited.ts";
import { jsonText } from "./example-text.ts";
import { procedures } from "./procedures.ts";

// In the past, so that sessions, which use the machine's clock, have not expired.
const monday = new Date("2026-11-02T08:00:00.000Z");

const test = apiTest
  .extend("deploymentAdmins", { scope: "file" }, () => "robin@example.com")
  .extend("clock", { scope: "file" }, async ({ databaseUrl }) => {
    const clock = createTestClock(databaseUrl, monday);
    await clock.advance(0);
    return clock;
  });

const recordedTest = test.extend("recorded", { scope: "file" }, ({ api, deps, make }) =>
  recordEverything({ api, deps, make, mailDomain: "example.com", auditLog: deps.db.prisma.auditEntry }),
);

recordedTest(
  "every example in the reference works, and answers what the reference shows",
  async ({ recorded }) => {
    const { examples } = recorded;
    expect(Object.keys(examples).sort()).toEqual(procedures.map(({ path }) => path).sort());
    const shown = Object.fromEntries(procedures.map(({ path }) => [path, examples[path] ?? {}]));
    // After a change, `vitest run src/api-reference/examples.test.ts -u` records them anew.
    await expect(`${jsonText(stabilize(shown))}\n`).toMatchFileSnapshot("examples.json");
  },
);

recordedTest("every mutation writes the audit entries that its row names", ({ recorded: { audited } }) => {
  const mutations = procedures.filter(({ type }) => type === "mutation").map(({ path }) => path);
  expect(Object.keys(whatIsAudited).sort()).toEqual(mutations.sort());
  const wrong = mutations.filter((path) => {
    const expected = whatIsAudited[path];
    const written = audited[path] ?? [];
    if (!Array.isArray(expected)) return written.length > 0;
    return written.length === 0 || !written.every((action) => expected.some((one) => one === action));
  });
  expect(wrong.map((path) => `${path}: ${audited[path]?.join(", ")}`)).toEqual([]);
});

recordedTest("no entry of the audit log names a person or an address", async ({ recorded, deps }) => {
  expect(Object.keys(recorded.audited)).not.toEqual([]);
  const entries = JSON.stringify(await deps.db.prisma.auditEntry.findMany());
  const people = await deps.db.prisma.user.findMany({ where: { serviceOrganizationId: null } });
  expect(people.length).toBeGreaterThan(2);
  for (const { name, email } of people) {
    expect(entries).not.toContain(JSON.stringify(name));
    expect(entries).not.toContain(email);
  }
});
