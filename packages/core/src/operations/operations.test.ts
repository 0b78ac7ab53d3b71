import { type Caller, newId, type Operations, type Person } from "@querybell/domain";
import { describe, expect } from "vitest";
import { describePerson } from "../identity/index.ts";
import { runQuery } from "../runs/index.ts";
import { dbTest } from "../testing/db-test.ts";
import { changeRun, toRunning } from "../testing/run-states.ts";
import { getOperations, recordProcess, removeProcess } from "./index.ts";

const test = dbTest
  /** What the page shows to somebody. */
  .extend("read", { scope: "file" }, ({ deps }) => (person: Person): Promise<Operations> => {
    const checkReadiness = async () => ({ ready: true }) as const;
    return getOperations({ ...deps, version: "0.1.0", checkReadiness }, person);
  })
  .extend("operator", { scope: "file" }, ({ make }) => make.user({ email: "operator@deployment.test" }));

const refused = { code: "forbidden" };

describe("the page Operations", () => {
  test("opens for people whom the operator names, and for no owner of an organization", async ({
    deps,
    make,
    read,
    operator,
  }) => {
    const owner = await make.owner();
    await expect(read(owner)).rejects.toMatchObject(refused);
    expect(await describePerson(deps, { person: owner })).toMatchObject({ isDeploymentAdmin: false });
    expect(await read(operator)).toMatchObject({ version: "0.1.0" });
    expect(await describePerson(deps, { person: operator })).toMatchObject({ isDeploymentAdmin: true });
    // Another organization's provider may say that somebody has this address.
    const throughProvider = { ...operator, onlyOrganizationId: owner.organizationId };
    await expect(read(throughProvider)).rejects.toMatchObject(refused);
    expect(await describePerson(deps, { person: throughProvider })).toMatchObject({
      isDeploymentAdmin: false,
    });
  });

  test("is closed while the address is unproven: somebody else may have registered it", async ({
    deps,
    read,
    operator,
  }) => {
    const prove = (emailVerified: boolean) =>
      deps.db.prisma.user.update({ where: { id: operator.userId }, data: { emailVerified } });
    await prove(false);
    await expect(read(operator)).rejects.toMatchObject(refused);
    await prove(true);
    expect(await read(operator)).toMatchObject({ version: "0.1.0" });
  });

  test("shows processes from their first heartbeat to their stop, and names those that are silent", async ({
    deps,
    read,
    operator,
  }) => {
    const startedAt = new Date("2026-11-01T10:00:00Z");
    const worker = { id: newId(deps.clock), kind: "worker", version: "0.1.0", startedAt } as const;
    const disk = { freeBytes: 5, sizeBytes: 100 };
    await recordProcess(deps, { ...worker, host: "one", disk });
    const alive = await read(operator);
    expect(alive.processes).toMatchObject([{ kind: "worker", host: "one", isAlive: true, disk }]);
    expect(sentencesOf(alive, "processes")).not.toContainEqual(expect.stringContaining("No worker"));
    expect(sentencesOf(alive, "disk")).toEqual([expect.stringContaining("on one has less than 10 % free")]);

    await deps.db.pool.query("UPDATE processes SET seen_at = now() - interval '31 seconds'");
    const silent = await read(operator);
    expect(silent.processes).toMatchObject([{ isAlive: false }]);
    expect(sentencesOf(silent, "processes")).toEqual([
      expect.stringContaining("No worker is alive"),
      expect.stringContaining("no public process is alive"),
      expect.stringContaining("The process worker on one is silent"),
    ]);

    const api = { ...worker, id: newId(deps.clock), kind: "api", version: "0.2.0", host: "two" } as const;
    await deps.db.pool.query("UPDATE processes SET seen_at = now() - interval '25 hours'");
    await recordProcess(deps, { ...api, disk: null });
    expect((await read(operator)).processes, "one that ended a day ago is gone").toMatchObject([
      { kind: "api", version: "0.2.0", disk: null },
    ]);
    await removeProcess(deps, api);
    expect((await read(operator)).processes).toEqual([]);
  });

  test("shows what waits and what took long, by organization", async ({
    deps,
    make,
    clock,
    read,
    operator,
  }) => {
    const [busy, idle] = [await make.owner(), await make.owner()];
    const start = async (owner: Caller) => {
      const { id } = await make.query(owner, "SELECT 1");
      return runQuery(deps, owner, { id, parameterValues: {} });
    };
    const ended = await start(idle);
    await clock.advance(2_000);
    await changeRun(deps, ended.id, `${toRunning}, started_at = querybell_now()`);
    await clock.advance(5_000);
    await changeRun(deps, ended.id, "status = 'completed', completed_at = querybell_now()");
    const createdAt = clock.now().toISOString();
    await start(busy);
    await clock.advance(61_000);
    await start(busy);
    const { queues, recentRuns, problems } = await read(operator);
    const { slug } = await deps.db.prisma.organization.findUniqueOrThrow({
      where: { id: busy.organizationId },
    });
    expect(queues.find(({ kind }) => kind === "query_runs")).toMatchObject({
      ...{ waiting: 2, running: 0, oldestAt: createdAt },
      organizations: [{ slug, waiting: 2, oldestAt: createdAt }],
    });
    expect(problems).toContainEqual(
      expect.objectContaining({
        ...{ about: "queues", severity: "warning", since: createdAt },
        sentence: expect.stringContaining("waited for a worker for over a minute"),
      }),
    );
    expect(recentRuns.runs).toBe(3);
    expect(recentRuns.organizations).toMatchObject([
      { runs: 1, failed: 0, waitMs: { longest: 2_000 }, runMs: { median: 5_000 }, totalRunMs: 5_000 },
    ]);
  });

  test("shows the newest backup and the newest that was checked, and which is too old", async ({
    deps,
    clock,
    read,
    operator,
  }) => {
    expect(sentencesOf(await read(operator), "backup")).toEqual([
      "The operator's command has made no backup yet.",
    ]);
    const daysAgo = (days: number) => new Date(clock.now().getTime() - days * 86_400_000);
    const backups = [
      { createdAt: daysAgo(9), bytes: 10, checkedAt: daysAgo(8.9) },
      { createdAt: daysAgo(1.2), bytes: 20, checkedAt: null },
    ];
    await deps.db.prisma.backup.createMany({ data: backups });
    const old = await read(operator);
    expect(old.backup).toMatchObject({ createdAt: daysAgo(1.2).toISOString(), bytes: 20 });
    expect(old.backup.checked?.createdAt).toBe(daysAgo(9).toISOString());
    expect(sentencesOf(old, "backup")).toEqual([
      "The newest backup is older than 26 hours.",
      "The newest backup that was restored for a check is older than eight days.",
    ]);
    await deps.db.prisma.backup.create({
      data: { createdAt: daysAgo(0.1), bytes: 20, checkedAt: clock.now() },
    });
    expect(sentencesOf(await read(operator), "backup")).toEqual([]);
  });
});

const sentencesOf = ({ problems }: Operations, about: Operations["problems"][number]["about"]): string[] =>
  problems.filter((problem) => problem.about === about).map(({ sentence }) => sentence);
