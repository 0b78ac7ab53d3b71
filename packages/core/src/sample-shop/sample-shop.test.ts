import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import {
  createSampleShop,
  deleteSampleShop,
  executeSampleShopCreation,
  executeSampleShopDeletion,
  findSampleShop,
  sampleQueries,
} from "./index.ts";

const test = dbTest.extend("shop", { auto: true }, ({ deps, duckdbFolder }) => ({
  filesOf: async (slug: string) => (await readdir(duckdbFolder)).filter((name) => name.startsWith(slug)),
  async slugOf(organizationId: string) {
    return (await deps.db.prisma.organization.findUniqueOrThrow({ where: { id: organizationId } })).slug;
  },
  /** A file that is there already is not written again, which takes seconds. This one is no database. */
  async placeFile(organizationId: string) {
    const { file, organization } = await deps.db.prisma.sampleShop.findUniqueOrThrow({
      where: { organizationId },
      include: { organization: true },
    });
    await writeFile(join(duckdbFolder, `${organization.slug}.${file}`), "");
  },
  async jobsOf(organizationId: string) {
    const { rows } = await deps.db.pool.query(
      "SELECT 1 FROM graphile_worker.jobs WHERE task_identifier = 'create_sample_shop' AND queue_name LIKE '%' || $1",
      [organizationId],
    );
    return rows.length;
  },
  async countOf(organizationId: string) {
    const where = { organizationId, deletedAt: null };
    const { prisma } = deps.db;
    return {
      databases: await prisma.analyticalDatabaseConfig.count({ where: { ...where, holdsUploads: false } }),
      queries: await prisma.query.count({ where }),
      references: await prisma.queryReference.count({ where }),
      automations: await prisma.automation.count({ where }),
      runs: await prisma.queryRun.count({ where: { organizationId } }),
      automationRuns: await prisma.automationRun.count({ where: { organizationId } }),
    };
  },
}));

const { length } = sampleQueries;
const whole = {
  databases: 1,
  queries: length,
  references: length,
  automations: 1,
  runs: length,
  automationRuns: 1,
};

describe("the sample shop", () => {
  test("is created by a job, and removed with everything that it added", async ({ deps, make, shop }) => {
    const owner = await make.owner();
    const { organizationId, userId } = owner;
    expect(await findSampleShop(deps, owner)).toBeNull();
    expect(await createSampleShop(deps, owner)).toMatchObject({ state: "creating", stepsDone: 0 });
    await executeSampleShopCreation(deps, { organizationId });
    expect(await findSampleShop(deps, owner)).toMatchObject({ state: "ready", stepsDone: 3 });
    expect(await shop.countOf(organizationId)).toEqual(whole);
    const slug = await shop.slugOf(organizationId);
    expect(await shop.filesOf(slug)).toEqual([expect.stringMatching(/\.sample-shop-.*\.duckdb$/)]);

    await deleteSampleShop(deps, owner);
    await expect(createSampleShop(deps, owner)).rejects.toEqual(appError("conflict"));
    await executeSampleShopDeletion(deps, { organizationId, userId });
    expect(await findSampleShop(deps, owner)).toBeNull();
    expect(await shop.countOf(organizationId)).toMatchObject({
      ...{ databases: 0, queries: 0, references: 0, automations: 0 },
    });
    expect(await shop.filesOf(slug)).toEqual([]);
    await expect(deleteSampleShop(deps, owner)).rejects.toEqual(appError("not_found"));
  });

  test("is created once for two admins and for a job that runs twice", async ({ deps, make, shop }) => {
    const owner = await make.owner();
    const { organizationId } = owner;
    const admin = await make.member(organizationId, "admin");
    await Promise.all([createSampleShop(deps, owner), createSampleShop(deps, admin)]);
    expect(await shop.jobsOf(organizationId)).toBe(1);
    await shop.placeFile(organizationId);
    await executeSampleShopCreation(deps, { organizationId });
    // As if the process had been killed before it recorded the end.
    await deps.db.prisma.sampleShop.update({ where: { organizationId }, data: { state: "creating" } });
    await executeSampleShopCreation(deps, { organizationId });
    expect(await shop.countOf(organizationId)).toEqual(whole);
  });

  test("continues after its objects could not be created", async ({ deps, make, shop }) => {
    const owner = await make.owner();
    const { organizationId } = owner;
    await createSampleShop(deps, owner);
    await shop.placeFile(organizationId);
    const broken = {
      ...deps,
      db: {
        ...deps.db,
        transaction: () => Promise.reject(new Error("The database is away.")),
      },
    };
    await expect(executeSampleShopCreation(broken, { organizationId })).rejects.toThrow("away");
    expect(await findSampleShop(deps, owner)).toMatchObject({ state: "failed", stepsDone: 1 });
    expect(await createSampleShop(deps, owner)).toMatchObject({ state: "creating" });
    await executeSampleShopCreation(deps, { organizationId });
    expect(await shop.countOf(organizationId)).toEqual(whole);
  });

  test("that was removed meanwhile gets no objects", async ({ deps, make, shop }) => {
    const owner = await make.owner();
    const { organizationId, userId } = owner;
    await createSampleShop(deps, owner);
    await deleteSampleShop(deps, owner);
    await executeSampleShopCreation(deps, { organizationId });
    await executeSampleShopDeletion(deps, { organizationId, userId });
    expect(await shop.countOf(organizationId)).toMatchObject({ databases: 0, queries: 0 });
    expect(await findSampleShop(deps, owner)).toBeNull();
  });
});
