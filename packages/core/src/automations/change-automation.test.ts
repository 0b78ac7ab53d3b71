import {
  CreateAutomation,
  type ErrorCode,
  ListAutomations,
  type ParameterDefinition,
  UpdateAutomation,
} from "@querybell/domain";
import { waitUntilBlocked } from "@querybell/webhooks/testing";
import { describe, expect } from "vitest";
import { createDestination } from "../destinations/index.ts";
import { createOptimisticReference, createReference, deleteReference } from "../references/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import {
  createAutomation,
  deleteAutomation,
  getAutomation,
  listAutomations,
  previewSchedule,
  triggerAutomation,
  updateAutomation,
} from "./index.ts";

const words = { name: "Mornings", instruction: "Say what has changed." };
const daily = { cron: "0 9 * * *", timeZone: "Europe/Berlin" };
const days: ParameterDefinition = { name: "since", displayName: "Since", type: "date", description: "" };

describe("an automation", () => {
  dbTest("is made, changed, paused and deleted by a member", async ({ deps, make, clock }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const { shortId } = await make.reference(owner, "SELECT 1");
    const values = CreateAutomation.parse({ ...words, references: [{ shortId }] });
    const made = await createAutomation(deps, member, values);
    expect(made).toMatchObject({
      ...words,
      references: [{ shortId, title: "Fruits", parameterValues: {}, isDeleted: false }],
      agent: "digest",
      schedule: null,
      enabled: true,
      whenBusy: "queue",
      timeLimitSeconds: 900,
      nextRunAt: null,
    });
    const { id } = made;
    const changes = UpdateAutomation.parse({ id, schedule: daily, name: " Days " });
    const scheduled = await updateAutomation(deps, member, changes);
    expect(scheduled).toEqual({ ...made, name: "Days", schedule: daily, nextRunAt: expect.any(String) });
    const { nextTimes } = previewSchedule(deps, { schedule: daily });
    expect(nextTimes).toHaveLength(3);
    expect(scheduled.nextRunAt).toBe(nextTimes[0]);
    expect(nextTimes.every((time) => time > clock.now().toISOString())).toBe(true);
    const paused = await updateAutomation(deps, member, { id, enabled: false });
    expect(paused).toEqual({ ...scheduled, enabled: false, nextRunAt: null });
    const neverRan = { latestRun: null, latestEndedRun: null, conditionState: null };
    const list = () => listAutomations(deps, member, ListAutomations.parse({}));
    expect(await getAutomation(deps, member, { id })).toEqual({ ...paused, ...neverRan });
    expect(await list()).toEqual({ items: [{ ...paused, ...neverRan }] });
    await deleteAutomation(deps, member, { id });
    expect(await list()).toEqual({ items: [] });
    await expect(getAutomation(deps, member, { id })).rejects.toEqual(appError("not_found"));
    await expect(triggerAutomation(deps, member, { id })).rejects.toEqual(appError("not_found"));
  });

  dbTest("runs with the rights of whoever lets it send whole results", async ({ deps, make }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const { id } = await make.automation(owner);
    const to = { kind: "mail" as const, name: "Board", addresses: ["board@board.test"] };
    const { id: destinationId } = await createDestination(deps, owner, to);
    const ownerAfter = async (csv: boolean) => {
      const events = ["automation.run.completed" as const];
      await updateAutomation(deps, member, { id, destinations: [{ destinationId, events, csv }] });
      return (await deps.db.prisma.automation.findUniqueOrThrow({ where: { id } })).ownerId;
    };
    expect(await ownerAfter(false)).toBe(owner.userId);
    expect(await ownerAfter(true)).toBe(member.userId);
  });

  dbTest("locks its destinations in the order of their ids, as pumps do", async ({ deps, make }) => {
    const owner = await make.owner();
    const mail = { kind: "mail" as const, name: "Board", addresses: ["board@board.test"] };
    const rowRecipients = { members: true, domains: [] };
    const first = await createDestination(deps, owner, { ...mail, rowRecipients });
    const second = await createDestination(deps, owner, mail);
    const automation = await make.automation(owner);
    const change = UpdateAutomation.parse({
      id: automation.id,
      destinations: [{ destinationId: second.id, events: ["automation.run.completed"] }],
      recipients: {
        ...{ shortId: automation.references[0]?.shortId, column: "who" },
        to: { kind: "addresses", destinationId: first.id },
      },
    });
    const { pool } = deps.db;
    const pump = await pool.connect();
    const lock = (id: string) =>
      pump.query("SELECT FROM webhook_endpoints WHERE id = $1 FOR NO KEY UPDATE", [id]);
    await pump.query("BEGIN");
    await lock(first.id);
    const saved = updateAutomation(deps, owner, change);
    await waitUntilBlocked(pool, saved);
    await lock(second.id);
    await pump.query("COMMIT");
    pump.release();
    expect(await saved).toMatchObject({ destinations: [{ destinationId: second.id }] });
  });

  dbTest("is refused with a reference that could never run", async ({ deps, make }) => {
    const owner = await make.owner();
    const create = (shortId: string) =>
      createAutomation(deps, owner, CreateAutomation.parse({ ...words, references: [{ shortId }] }));
    await expect(create("nothing")).rejects.toEqual(appError("not_found"));
    const { shortId: optimistic } = await createOptimisticReference(deps, owner, {});
    await expect(create(optimistic)).rejects.toEqual(appError("conflict", /no query yet/));
  });

  dbTest("is refused with the place of the reference at fault", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id: queryId } = await make.query(owner, "SELECT {{since}}");
    const { shortId } = await createReference(deps, owner, { queryId, parameters: [days] });
    const good = { shortId, parameterValues: { since: "today" } };
    const values = CreateAutomation.parse({ ...words, references: [good] });
    const { id } = await createAutomation(deps, owner, values);
    const failure = async (second: { shortId: string; parameterValues?: Record<string, string> }) => {
      const { references } = UpdateAutomation.parse({ id, references: [good, second] });
      const created = createAutomation(deps, owner, CreateAutomation.parse({ ...words, references }));
      const updated = updateAutomation(deps, owner, { id, references });
      const outcomes = await Promise.allSettled([created, updated]);
      return outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason);
    };
    const refusal = (code: ErrorCode, path: string) => ({
      message: expect.stringContaining("Reference 2 ("),
      code,
      errors: [{ path: `references.1.${path}`, message: expect.any(String) }],
    });
    const unknown = await failure({ shortId: "nowhere" });
    expect(unknown).toMatchObject([refusal("not_found", "shortId"), refusal("not_found", "shortId")]);
    expect(unknown[0]).toMatchObject({
      message: expect.stringContaining("(nowhere): There is no reference"),
    });
    const at = "parameterValues.since";
    const wrong = refusal("invalid_parameter_value", at);
    expect(await failure({ shortId, parameterValues: { since: "soon" } })).toMatchObject([wrong, wrong]);
    const missing = refusal("missing_parameter_values", at);
    expect(await failure({ shortId })).toMatchObject([missing, missing]);
  });

  dbTest("takes values that its references' parameters allow", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id: queryId } = await make.query(owner, "SELECT {{since}}");
    const { shortId } = await createReference(deps, owner, { queryId, parameters: [days] });
    const create = (parameterValues: Record<string, string>) => {
      const references = [{ shortId, parameterValues }];
      return createAutomation(deps, owner, CreateAutomation.parse({ ...words, references }));
    };
    await expect(create({})).rejects.toEqual(appError("missing_parameter_values"));
    await expect(create({ since: "soon" })).rejects.toEqual(appError("invalid_parameter_value"));
    await expect(create({ since: "today", until: "today" })).rejects.toEqual(
      appError("invalid_parameter_value"),
    );
    const made = await create({ since: "today-7d" });
    expect(made.references[0]?.parameterValues).toEqual({ since: "today-7d" });
  });

  dbTest("says which of its references was deleted", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id, references } = await make.automation(owner);
    await deleteReference(deps, owner, { shortId: references[0]?.shortId ?? "" });
    expect(await getAutomation(deps, owner, { id })).toMatchObject({
      references: [{ isDeleted: true }],
    });
  });
});
