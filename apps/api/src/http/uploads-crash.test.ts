import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { getUploadsDatabase, sweepUploads } from "@querybell/core/uploads";
import { describe, expect, onTestFinished } from "vitest";
import { sendUpload } from "../testing/send-upload.ts";
import { type CrashPlan, crashSteps } from "../testing/upload-and-crash.ts";
import { uploadTest } from "../testing/upload-test.ts";

const program = fileURLToPath(new URL("../testing/upload-and-crash.ts", import.meta.url));
const before = "id,name\n1,old\n";
const after = "id,name\n1,new\n2,new\n";

describe("a process that dies while it imports leaves the old table or the new one, and nothing else:", () => {
  for (const step of crashSteps) {
    uploadTest(step, async ({ api, make, settings, clock, deps, uploads }) => {
      const owner = await make.owner();
      const headers = await uploads.keyOf(owner);
      const replace = { headers, parameters: { table: "sales", mode: "replace" } };
      await sendUpload(api, { ...replace, content: before });

      const { userId, organizationId, role, via } = owner;
      const plan: CrashPlan = {
        settings,
        caller: { userId, organizationId, role, via },
        step,
        content: after,
        now: clock.now().toISOString(),
      };
      const child = spawn(process.execPath, [program, JSON.stringify(plan)], { stdio: "inherit" });
      expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);

      const isNew = step === "transaction committed";
      const rows = isNew ? [[2, "new"]] : [[1, "old"]];
      const counted = "SELECT count(*), min(name) FROM sales";
      expect(await uploads.rows(owner, counted)).toEqual(rows);
      const session = await api.signedIn(owner);
      const { tables, waiting } = await session.uploads.overview.query();
      expect(tables).toMatchObject([{ rowCount: isNew ? 2 : 1 }]);
      // What was uploaded whole can still be imported.
      const isWaiting = step !== "half of the file received" && !isNew;
      expect(waiting).toHaveLength(isWaiting ? 1 : 0);

      await clock.advance(10 * 60_000);
      await expireLeases(deps);
      await sweepUploads(deps);
      expect(uploads.files(owner).filter((file) => !file.startsWith("waiting/"))).toHaveLength(1);
      await clock.advance(25 * 3_600_000);
      await sweepUploads(deps);
      expect(uploads.files(owner)).toHaveLength(1);
      expect(await deps.db.prisma.uploadStoreFile.count({ where: { organizationId } })).toBe(1);
      expect(await uploads.rows(owner, counted)).toEqual(rows);
      // And nobody has to wait for the dead one.
      const next = await sendUpload(api, { ...replace, content: "id,name\n9,next\n" });
      expect([next.status, await next.json()]).toMatchObject([201, { rowCount: 1 }]);
    });
  }

  /** As if the time of a lease had passed. */
  const expireLeases = ({ db }: Pick<Parameters<typeof sweepUploads>[0], "db">) =>
    db.pool.query(
      "UPDATE upload_stores SET change_until = now() - interval '1 second' WHERE change_until > now()",
    );
});

describe("two imports at once", () => {
  uploadTest("come one after the other, and lose nothing", async ({ api, make, uploads }) => {
    const owner = await make.owner();
    const headers = await uploads.keyOf(owner);
    const send = (table: string, mode: string) =>
      sendUpload(api, { content: before, headers, parameters: { table, mode } });
    await send("sales", "create");
    const answers = await Promise.all([
      send("sales", "append"),
      send("other", "create"),
      send("sales", "append"),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(await uploads.rows(owner, "SELECT count(*) FROM sales")).toEqual([[3]]);
    expect(await uploads.rows(owner, "SELECT count(*) FROM other")).toEqual([[1]]);
    const session = await api.signedIn(owner);
    const { tables } = await session.uploads.overview.query();
    expect(tables.map(({ name, rowCount }) => [name, rowCount])).toEqual([
      ["other", 1],
      ["sales", 3],
    ]);
  });

  uploadTest(
    "of which one lost its lease: only the newer one counts",
    async ({ api, make, deps, uploads }) => {
      const owner = await make.owner();
      const headers = await uploads.keyOf(owner);
      const replace = { headers, parameters: { table: "sales", mode: "replace" } };
      await sendUpload(api, { ...replace, content: before });
      const late = sendUpload(api, { ...replace, content: after });
      // As if the process had been paused, and the sweeper had found its lease expired.
      const fence = () =>
        deps.db.pool.query(
          `UPDATE upload_stores SET change_number = change_number + 1, change_until = NULL
         WHERE organization_id = $1 AND change_until IS NOT NULL`,
          [owner.organizationId],
        );
      while ((await fence()).rowCount === 0) await wait(1);
      expect((await late).status).toBe(503);
      expect(await uploads.rows(owner, "SELECT min(name) FROM sales")).toEqual([["old"]]);
    },
  );
});

describe("a query that runs while its table is", () => {
  for (const change of ["replaced", "dropped"] as const) {
    uploadTest(
      `${change} ends with the rows that it began with`,
      async ({ api, make, clock, deps, uploads }) => {
        const owner = await make.owner();
        const headers = await uploads.keyOf(owner);
        const replace = { headers, parameters: { table: "sales", mode: "replace" } };
        await sendUpload(api, { ...replace, content: before });
        // Long enough that the change happens meanwhile; how long it takes does not matter.
        const slow = uploads.rows(
          owner,
          "SELECT min(name), count(*) FROM sales, range(10000) a, range(10000) b WHERE a.range + b.range >= 0",
        );
        const session = await api.signedIn(owner);
        if (change === "replaced") await sendUpload(api, { ...replace, content: after });
        else await session.uploads.drop.mutate({ table: "sales" });
        await clock.advance(60_000);
        await sweepUploads(deps);
        expect(await slow).toEqual([["old", 100_000_000]]);
        const now = uploads.rows(owner, "SELECT min(name) FROM sales");
        if (change === "replaced") expect(await now).toEqual([["new"]]);
        else await expect(now).rejects.toThrow(/sales does not exist/);
      },
    );
  }
});

uploadTest(
  "a folder that cannot be deleted keeps no other organization's files from being deleted",
  async ({ api, make, clock, deps, duckdbFolder, uploads }) => {
    const owners = [await make.owner(), await make.owner()] as const;
    for (const owner of owners) {
      const headers = await uploads.keyOf(owner);
      for (const content of [before, after]) {
        await sendUpload(api, { content, headers, parameters: { table: "sales", mode: "replace" } });
      }
    }
    const [first, second] = owners;
    expect(uploads.files(first)).toHaveLength(2);
    const { uploadFileId } = await getUploadsDatabase(deps.db.prisma, first.organizationId);
    const folder = join(duckdbFolder, "uploads", first.organizationId);
    const replaced = readdirSync(folder).find((name) => name !== uploadFileId && name !== "waiting");
    onTestFinished(() => void execFileSync("rm", ["-r", folder]));
    // Deeper than a path can be long.
    const nested = "for i in $(seq 20); do mkdir $0 && cd -P ./$0 || exit 1; done";
    execFileSync("sh", ["-c", nested, "x".repeat(250)], { cwd: join(folder, replaced ?? "") });

    await clock.advance(10 * 60_000);
    await expect(sweepUploads(deps)).rejects.toThrow("could not be deleted: 1.");
    expect(uploads.files(second)).toHaveLength(1);
  },
);
