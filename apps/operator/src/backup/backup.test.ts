import { execFile } from "node:child_process";
import { appendFile, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { readBackupAges } from "@querybell/core/jobs";
import { openDeps } from "@querybell/core/open-deps";
import { createQuery, listQueries } from "@querybell/core/queries";
import { executeRun, getRun, runQuery } from "@querybell/core/runs";
import { createSampleShop } from "@querybell/core/sample-shop";
import { claimOneQueryRun } from "@querybell/core/testing";
import { answer } from "@querybell/core/testing/delivery-test";
import { discardUpload, importUpload, previewUpload, readUploadsOverview } from "@querybell/core/uploads";
import type { Caller } from "@querybell/domain";
import { generateKey } from "@querybell/sealing";
import { expect } from "vitest";
import { CommandError } from "../command-error.ts";
import { runCommand } from "../run-command.ts";
import { backupTest } from "./testing/backup-test.ts";
import { readRows } from "./testing/read-rows.ts";

const webhookIds = ({ requests }: { requests: { headers: Record<string, unknown> }[] }) =>
  requests.map(({ headers }) => headers["svc-webhook-id"]);

/** The one backup in a folder. */
async function findBackup(folder: string): Promise<string> {
  const [name = "", ...others] = await readdir(folder);
  expect(others).toEqual([]);
  return join(folder, name);
}

backupTest(
  "a restore into a new cluster goes on with what was unfinished, repeats nothing that had ended, and does not know what came later",
  async ({ deps, hooks, operator, upload, folder, place, clock }) => {
    const owner = await hooks.owner();
    const receiver = await hooks.receiver(answer(200));
    const { id: endpointId } = await hooks.endpoint(owner, receiver.url);
    const pump = await hooks.pump();
    const ended = await hooks.emit(owner);
    await pump.drain();
    await pump.stop();
    await clock.advance(1_000);
    const unfinished = await hooks.emit(owner);
    expect(await hooks.states(endpointId)).toEqual(["succeeded", "pending"]);

    const imported = await upload(owner, "id,name\n1,a\n2,b\n");
    await importUpload(deps, owner, {
      id: imported.id,
      table: "sales",
      mode: "create",
      key: [],
      reading: {},
      types: {},
    });
    const waiting = await upload(owner, "id\n3\n");
    const { databaseId } = await readUploadsOverview(deps, owner);
    const query = { sql: "SELECT count(*) FROM sales", analyticalDatabaseConfigId: databaseId };
    const { id: queryId } = await createQuery(deps, owner, query);
    const run = await runQuery(deps, owner, { id: queryId, parameterValues: {} });
    expect(run.status).toBe("pending");
    const before = await readRows(deps.db.pool);

    const archives = join(folder, "archives");
    const printed = await operator("backup", "create", "--to", archives);
    const backup = await findBackup(archives);
    expect(printed).toContain(`Created ${backup}`);
    expect(printed).toMatch(/2 uploaded files/);
    expect(printed).toMatch(/needs the key test of SEALING_KEYS\. The keys are not in the backup/);
    expect(await operator("keys", "check")).toBe(
      "test\t1 webhook secret\ntest\t1 set of webhook headers\nEverything is sealed with test.",
    );
    expect((await stat(backup)).mode & 0o777).toBe(0o700);
    expect(await place.operator(["backup", "verify", "--from", backup])).toMatch(/is complete/);

    // The service goes on.
    await clock.advance(1_000);
    const later = await hooks.emit(owner);
    await (await hooks.pump()).drain();
    await discardUpload(deps, owner, { id: waiting.id });
    expect(webhookIds(receiver)).toEqual([ended, unfinished, later]);
    receiver.requests.length = 0;

    const restored = await place.operator(["backup", "restore", "--from", backup]);
    expect(restored).toMatch(/webhooks that were sent since may be sent again, with the same ids/);
    const there = await place.start();
    expect(await readRows(there.deps.db.pool)).toEqual(before);
    expect(await there.deps.db.prisma.session.count()).toBe(0);
    expect((await listQueries(there.deps, owner, { limit: 10 })).items.map(({ id }) => id)).toEqual([
      queryId,
    ]);

    const itsPump = await there.pump();
    await itsPump.drain();
    await itsPump.stop();
    expect(webhookIds(receiver)).toEqual([unfinished]);
    expect(await there.states(endpointId)).toEqual(["succeeded", "succeeded"]);

    expect((await readUploadsOverview(there.deps, owner)).waiting).toMatchObject([{ id: waiting.id }]);
    const preview = await previewUpload(there.deps, owner, {
      id: waiting.id,
      key: [],
      reading: {},
      types: {},
    });
    expect(preview).toMatchObject({ rows: [["3"]] });
    const claimed = await claimOneQueryRun(there.deps, run.id);
    if (!claimed) throw new Error("The pending run cannot be claimed.");
    await executeRun(there.deps, claimed, { signal: new AbortController().signal, onError: console.error });
    expect(await getRun(there.deps, owner, { id: run.id })).toMatchObject({ status: "completed" });

    await expect(place.operator(["backup", "restore", "--from", backup])).rejects.toThrow(
      /has organizations or people\. .* Otherwise restore into a new database/,
    );
  },
);

backupTest(
  "with other keys nothing is restored, and the answer names the keys that are missing",
  async ({ hooks, operator, folder, place }) => {
    const owner = await hooks.owner();
    await hooks.endpoint(owner, "http://127.0.0.1:1/");
    await operator("backup", "create", "--to", folder);
    const restore = ["backup", "restore", "--from", await findBackup(folder)];
    const otherKeys = generateKey("test");
    const failure = place.operator(restore, otherKeys);
    await expect(failure).rejects.toThrow(
      /cannot open .* webhook secrets? \(key test\).* Nothing was restored/,
    );
    await expect(failure).rejects.toBeInstanceOf(CommandError);
    const accepted = await place.operator([...restore, "--lost-keys", "accept"], otherKeys);
    expect(accepted).toMatch(
      /The key test of SEALING_KEYS cannot open \d+ webhook secrets?.*If it is lost, .* entered again\./,
    );
    expect(await place.operator(["keys", "check"])).toMatch(/^test\t\d+ webhook secrets?$/m);
    const check = place.operator(["keys", "check"], otherKeys);
    await expect(check).rejects.toThrow(/secrets?, of which \d+ cannot be opened/);
    await expect(check).rejects.toBeInstanceOf(CommandError);
    await expect(place.operator(["backup", "create", "--to", join(folder, "again")])).resolves.toMatch(
      /The keys are not in the backup: keep them in another place\.$/,
    );
    await expect(
      place.operator(["backup", "create", "--to", join(folder, "incomplete")], generateKey("other")),
    ).resolves.toMatch(/The key test is not in SEALING_KEYS and sealed \d+ webhook secrets?.* Add it\./);
  },
);

backupTest(
  "a file that is imported while the backup runs is not missing: a newer snapshot does not name it",
  async ({ deps, hooks, operator, upload, folder }) => {
    const owner = await hooks.owner();
    const held = await upload(owner, "id\n1\n");
    const gone = await upload(owner, "id\n2\n");
    // Reading the first file waits until this test writes it.
    const path = join(deps.deployment.dataFolder, "uploads", owner.organizationId, "waiting", held.id);
    const content = await readFile(path);
    await rm(path);
    await promisify(execFile)("mkfifo", ["-m", "600", path]);
    const creating = operator("backup", "create", "--to", folder);
    const pipe = await open(path, "w");
    await discardUpload(deps, owner, { id: gone.id });
    await pipe.writeFile(content);
    await pipe.close();
    await creating;
    const waiting = join(await findBackup(folder), "uploads", owner.organizationId, "waiting");
    expect(await readdir(waiting)).toEqual([held.id]);
    expect(await readFile(join(waiting, held.id))).toEqual(content);

    // A file that is gone for good is an error, and leaves nothing.
    await rm(path);
    const archives = join(folder, "others");
    await expect(operator("backup", "create", "--to", archives)).rejects.toThrow(
      /is not in .*set DUCKDB_FOLDER/,
    );
    expect(await readdir(archives)).toEqual([]);
    await discardUpload(deps, owner, { id: held.id });
  },
);

backupTest("a backup from before the baseline is restored", async ({ operator, folder, place }) => {
  await operator("organization", "create", "--name", "Older", "--owner", "ann@example.test");
  await operator("backup", "create", "--to", folder);
  const backup = await findBackup(folder);
  const file = join(backup, "manifest.json");
  const manifest = JSON.parse(await readFile(file, "utf8"));
  const [, ...later] = manifest.migrations;
  const earlier = Array.from({ length: 30 }, (_, at) => `20261115${at}`);
  await writeFile(
    file,
    JSON.stringify({ ...manifest, migrations: [...earlier, "20261117014813_host_deaths", ...later] }),
  );
  await place.operator(["backup", "restore", "--from", backup]);
  expect(await place.operator(["organization", "list"])).toMatch(/\tOlder\t/);
  expect(await place.operator(["migrate"])).toBe("The database is up to date.");
});

backupTest("an incomplete or changed backup is refused", async ({ operator, folder, place }) => {
  const archives = join(folder, "archives");
  await operator("backup", "create", "--to", archives);
  const backup = await findBackup(archives);
  const restore = () => place.operator(["backup", "restore", "--from", backup]);
  await appendFile(join(backup, "tables/public.users.copy.zst"), "x");
  await expect(restore()).rejects.toThrow(/tables\/public\.users\.copy\.zst is missing or was changed/);
  await expect(place.operator(["backup", "verify", "--from", backup])).rejects.toThrow(/is damaged/);
  await rename(join(backup, "manifest.json"), join(backup, "manifest"));
  await expect(restore()).rejects.toThrow(/is not a complete backup/);
});

backupTest("a folder that cannot be created is refused", async ({ operator, folder }) => {
  for (const to of [join(folder, "missing", "archives"), "/proc/archives"]) {
    await expect(operator("backup", "create", "--to", to)).rejects.toThrow(/\.partial cannot be created/);
  }
  const file = join(folder, "file");
  await writeFile(file, "");
  await expect(operator("backup", "create", "--to", file)).rejects.toThrow(
    `${file} is a file, or inside of one. Name a folder after --to.`,
  );
});

backupTest(
  "by schedule: old backups are deleted, and the newest is restored for a check that leaves no rows",
  async ({ deps, hooks, operator, clock, folder, createDatabase, settings, onError }) => {
    const owner = await hooks.owner();
    await hooks.endpoint(owner, "http://127.0.0.1:1/");
    const archives = join(folder, "archives");
    const create = () => operator("backup", "create", "--to", archives, "--keep-days", "2");
    await create();
    const [first = ""] = await readdir(archives);
    await writeFile(join(archives, "notes.txt"), "");
    await clock.advance(86_400_000);
    await create();
    expect(await readdir(archives)).toHaveLength(3);
    await clock.advance(86_400_000);
    expect(await create()).toContain(`Deleted ${first}.`);
    const left = await readdir(archives);
    expect(left).toHaveLength(3);
    expect(left).not.toContain(first);
    expect(left).toContain("notes.txt");

    const check = ["backup", "check", "--in", archives];
    await expect(operator(...check)).rejects.toThrow("Set CHECK_DATABASE_URL");
    const { url, deps: scratch } = await createDatabase();
    const checked = () =>
      runCommand(check, () => ({
        deps: openDeps({ settings, clock, onError }),
        databaseUrl: settings.DATABASE_URL,
        openCheckDatabase: () => ({
          deps: openDeps({ settings: { ...settings, DATABASE_URL: url }, clock, onError }),
          databaseUrl: url,
        }),
      }));
    expect(await checked()).toMatch(/^The backup of 20.* can be restored: \d+ rows of/);
    expect(await checked(), "a second time").toContain("can be restored");
    expect(await scratch.db.prisma.organization.count()).toBe(0);
    expect(await readBackupAges(deps)).toEqual({ created: 0, checked: 0 });
    await clock.advance(60_000);
    await create();
    await clock.advance(60_000);
    expect(await readBackupAges(deps)).toEqual({ created: 60, checked: 120 });

    const newest = join(
      archives,
      (await readdir(archives))
        .filter((name) => name !== "notes.txt")
        .toSorted()
        .at(-1) ?? "",
    );
    const [table = ""] = (await readdir(join(newest, "tables"))).filter((name) =>
      name.includes("webhook_endpoints"),
    );
    await appendFile(join(newest, "tables", table), "x");
    await expect(checked()).rejects.toThrow(/is damaged/);
    expect((await readBackupAges(deps)).checked).toBe(120);
  },
);

backupTest(
  "uploaded files that are lost come back from a backup, and what it does not have is given up only on request",
  async ({ deps, hooks, operator, upload, folder }) => {
    const importTable = async (caller: Caller, text: string) => {
      const { id } = await upload(caller, text);
      const mode = "replace" as const;
      await importUpload(deps, caller, { id, table: "sales", mode, key: [], reading: {}, types: {} });
    };
    const countRows = async (caller: Caller) => {
      const { databaseId, tables } = await readUploadsOverview(deps, caller);
      const query = { sql: "SELECT count(*) FROM sales", analyticalDatabaseConfigId: databaseId };
      const { id: queryId } = await createQuery(deps, caller, query);
      const { id } = await runQuery(deps, caller, { id: queryId, parameterValues: {} });
      const claimed = await claimOneQueryRun(deps, id);
      if (!claimed) throw new Error("The pending run cannot be claimed.");
      await executeRun(deps, claimed, { signal: new AbortController().signal, onError: console.error });
      const { status } = await getRun(deps, caller, { id });
      return [status, ...tables.map(({ rowCount }) => rowCount)];
    };
    const [unchanged, changed, later] = [await hooks.owner(), await hooks.owner(), await hooks.owner()];
    await importTable(unchanged, "id\n1\n");
    await importTable(changed, "id\n1\n2\n");
    await operator("backup", "create", "--to", folder);
    const backup = await findBackup(folder);
    await importTable(changed, "id\n1\n2\n3\n");
    await importTable(later, "id\n1\n");
    await upload(later, "id\n2\n");
    expect(await operator("uploads", "repair")).toMatch(/^Every uploaded file is in /);

    await rm(join(deps.deployment.dataFolder, "uploads"), { recursive: true });
    const repair = (...options: string[]) => operator("uploads", "repair", ...options);
    await expect(repair()).rejects.toThrow(/Mount the folder .* Name a backup after --from/);
    await expect(repair("--lost-files", "yes")).rejects.toThrow(
      "The value of --lost-files can only be accept.",
    );
    const named = repair("--from", backup);
    await expect(named).rejects.toThrow(/^Copied \d+ files? from the backup/);
    await expect(named).rejects.toThrow(/: its tables, which have changed since the backup\. .*: sales\.$/m);
    await expect(named).rejects.toThrow(/: its tables\. It would have none until .*\n.*: a file that waits/);
    expect(await countRows(unchanged)).toEqual(["completed", 1]);
    expect((await readUploadsOverview(deps, changed)).tables, "nothing is given up").toMatchObject([
      { rowCount: 3 },
    ]);
    await expect(operator("backup", "create", "--to", join(folder, "others"))).rejects.toThrow(
      "If the file is lost: uploads repair.",
    );

    const done = await repair("--from", backup, "--lost-files", "accept");
    expect(done).toMatch(/: has the tables of the backup: sales\. /);
    expect(done).toMatch(/: has no tables any more\. .*\n.*: discarded a file that waited/);
    expect(await countRows(changed)).toEqual(["completed", 2]);
    expect(await readUploadsOverview(deps, later)).toMatchObject({ tables: [], waiting: [], usedBytes: 0 });
    await importTable(later, "id\n1\n");
    await importTable(changed, "id\n1\n2\n3\n");
    expect(await Promise.all([later, changed].map(countRows))).toEqual([
      ["completed", 1],
      ["completed", 3],
    ]);
    expect(await repair()).toMatch(/^Every uploaded file is in /);
    await operator("backup", "create", "--to", join(folder, "others"));
  },
);

backupTest("refuses to keep backups for no days", async ({ operator, folder }) => {
  const create = operator("backup", "create", "--to", folder, "--keep-days", "0");
  await expect(create).rejects.toThrow("--keep-days must be at least 1.");
  expect(await readdir(folder)).toEqual([]);
});

backupTest(
  "names the files that the operator has put there, and no sample shop",
  async ({ deps, hooks, operator, folder }) => {
    const owner = await hooks.owner();
    await createSampleShop(deps, owner);
    const { organizationId } = owner;
    const { file, organization } = await deps.db.prisma.sampleShop.findUniqueOrThrow({
      where: { organizationId },
      include: { organization: true },
    });
    const { dataFolder } = deps.deployment;
    await mkdir(dataFolder, { recursive: true });
    const place = (name: string) => writeFile(join(dataFolder, `${organization.slug}.${name}`), "");
    await place(file);
    expect(await operator("backup", "create", "--to", join(folder, "one"))).not.toContain("Not in it");
    await place("warehouse.duckdb");
    expect(await operator("backup", "create", "--to", join(folder, "two"))).toContain(
      `Not in it: 1 database file that the operator has put into ${dataFolder}. Back it up as well.`,
    );
  },
);
