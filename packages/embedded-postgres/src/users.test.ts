import { chmod, cp, lstat, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { installedPrograms, reachablePrograms } from "./programs.ts";
import {
  isRoot,
  launch,
  launchServer,
  ordinary,
  sql,
  start,
  temporaryFolder,
  usedFolder,
} from "./testing/embedded-test.ts";

const ownerOf = async (path: string) => (await stat(path)).uid;

async function serverUser(serverFolder: string): Promise<number> {
  const [postmaster] = (await readFile(join(serverFolder, "data/postmaster.pid"), "utf8")).split("\n");
  return ownerOf(`/proc/${postmaster}`);
}

/** Options of a launcher that runs as an ordinary user, with programs that this user can run. */
async function ordinaryOrder(folder: string) {
  const programs = await reachablePrograms(await installedPrograms(), ordinary);
  return { ...(isRoot && { account: ordinary }), options: { folder, programs } };
}

describe("an ordinary user", () => {
  test("runs the server as itself, with everything in the folder, which it alone can enter", async () => {
    const folder = join(await temporaryFolder({ mode: 0o700, owner: ordinary }), ".data/postgres");
    const server = await launchServer(await ordinaryOrder(folder));
    expect(server.serverFolder).toBe(folder);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await serverUser(folder)).toBe(ordinary.uid);
  });

  test("is told in one sentence that a folder is read-only", async () => {
    const parent = await temporaryFolder({ mode: 0o555, owner: ordinary });
    const folder = join(parent, ".data/postgres");
    const { answer } = await launch(await ordinaryOrder(folder));
    expect(answer).toEqual({
      kind: "refused",
      name: "EmbeddedPostgresError",
      message: `The database folder ${folder} cannot be used because ${dirname(folder)} may not be written: change that, or set DATABASE_URL to use a database of your own.`,
    });
  });
});

// Only root can switch users.
if (isRoot) {
  describe("root", () => {
    test("in a folder that only root may enter, runs the server elsewhere as another user", async () => {
      const clone = await temporaryFolder({ mode: 0o700 });
      const programs = await privatePrograms(clone);
      const folder = join(clone, ".data/postgres");
      const first = await start({ folder, programs });
      onTestFinished(() => rm(first.serverFolder, { recursive: true }));
      expect(first.serverFolder).toMatch(/^\/var\/lib\/querybell\/postgres-/);
      expect((await lstat(folder)).isSymbolicLink()).toBe(true);
      expect(await serverUser(first.serverFolder)).toBe(await ownerOf(join(folder, "data")));
      expect(await serverUser(first.serverFolder)).not.toBe(0);
      await sql(first.url, "CREATE TABLE kept AS SELECT 'yes' AS answer");
      await first.stop();

      const second = await start({ folder, programs });
      expect(second.serverFolder).toBe(first.serverFolder);
      expect(await sql(second.url, "SELECT answer FROM kept")).toEqual([{ answer: "yes" }]);
    });

    test("in a folder that everybody may enter, keeps the data there", async () => {
      const folder = await usedFolder();
      const postgres = await start({ folder });
      expect(postgres.serverFolder).toBe(folder);
      expect((await stat(folder)).mode & 0o777).toBe(0o711);
      await postgres.stop();

      const { answer } = await launch(await ordinaryOrder(folder));
      expect(answer).toMatchObject({ kind: "refused", message: expect.stringContaining("another user") });
    });

    test("runs an ordinary user's data as that user, who can go on with it", async () => {
      const folder = join(await temporaryFolder({ owner: ordinary }), "postgres");
      const first = await launchServer(await ordinaryOrder(folder));
      await first.stop();

      const asRoot = await start({ folder });
      expect(await serverUser(folder)).toBe(ordinary.uid);
      await asRoot.stop();

      const again = await launchServer(await ordinaryOrder(folder));
      expect(again.url).toBe(first.url);
    });
  });
}

/** The programs as installed under a strict umask, with a version of which there is no copy yet. */
async function privatePrograms(clone: string) {
  const folder = join(clone, "native");
  const version = `18.${crypto.randomUUID()}`;
  await cp((await installedPrograms()).folder, folder, { recursive: true, verbatimSymlinks: true });
  for (const name of ["bin", "lib", "share"]) await chmod(join(folder, name), 0o700);
  await chmod(join(folder, "bin/postgres"), 0o700);
  onTestFinished(() => rm(`/var/lib/querybell/programs-${version}`, { recursive: true }));
  return { folder, version };
}
