import { chown, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { explainFailure, explainLog } from "./embedded-postgres-error.ts";
import { EmbeddedPostgresError, startEmbeddedPostgres } from "./index.ts";
import { installedPrograms } from "./programs.ts";
import { ordinary, start, temporaryFolder, usedFolder } from "./testing/embedded-test.ts";

/** Programs whose initdb fails with this message. */
async function failingPrograms(words: string) {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "bin"));
  const script = (text: string) => `#!/bin/sh\n${text}\n`;
  await writeFile(join(folder, "bin/postgres"), script("exit 0"), { mode: 0o755 });
  await writeFile(join(folder, "bin/initdb"), script(`echo 'initdb: error: ${words}' >&2\nexit 1`), {
    mode: 0o755,
  });
  return { folder, version: "18.0" };
}

/** A database folder with these files as its data. */
async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder();
  const data = join(folder, "data");
  await mkdir(data);
  for (const [name, text] of Object.entries(files)) await writeFile(join(data, name), text);
  await chown(data, ordinary.uid, ordinary.gid);
  return folder;
}

describe("a start that cannot succeed says why in one sentence", () => {
  test("when a new database folder cannot be prepared, and leaves no half-made one", async () => {
    const folder = join(await temporaryFolder(), "postgres");
    const programs = await failingPrograms("could not do it");
    const refusal = startEmbeddedPostgres({ folder, programs });
    await expect(refusal).rejects.toThrow(
      `Postgres failed while preparing a new database folder: could not do it (log: ${folder}/initdb.log).`,
    );
    await expect(refusal).rejects.toBeInstanceOf(EmbeddedPostgresError);
    expect((await readdir(folder)).sort()).toEqual(["initdb.log", "password", "superuser-password"]);

    const postgres = await start({ folder });
    expect(postgres.progress).toEqual(["Preparing a new database folder", "Starting Postgres"]);
  });

  test("when initdb finds the disk full", async () => {
    const folder = join(await temporaryFolder(), "postgres");
    const programs = await failingPrograms("could not write: No space left on device");
    await expect(startEmbeddedPostgres({ folder, programs })).rejects.toThrow(
      /^There is no space left for Postgres while preparing a new database folder: free some, or set DATABASE_URL/,
    );
  });

  test("when the programs do not run on this system", async () => {
    const folder = join(await temporaryFolder(), "postgres");
    const programs = await failingPrograms("never said");
    await writeFile(join(programs.folder, "bin/initdb"), "#!/no/such/loader\n");
    await expect(startEmbeddedPostgres({ folder, programs })).rejects.toThrow(
      /^The program .*\/initdb cannot be run on this system as user \d+: set DATABASE_URL/,
    );
  });

  test("when the server refuses its settings; the folder is then free for the next start", async () => {
    const folder = await usedFolder();
    await expect(startEmbeddedPostgres({ folder, settings: { shared_buffers: "lots" } })).rejects.toThrow(
      `Postgres failed while starting: invalid value for parameter "shared_buffers": "lots" (log: ${folder}/postgres.log).`,
    );
    const postgres = await start({ folder });
    expect(postgres.progress).toEqual(["Starting Postgres"]);
  });

  test("when the data was made by another major version", async () => {
    const folder = await folderWith({ PG_VERSION: "17\n" });
    await expect(startEmbeddedPostgres({ folder })).rejects.toThrow(
      `The data in ${folder}/data was made by Postgres 17 and this is Postgres 18`,
    );
  });

  test("when the data is not Postgres's", async () => {
    const folder = await folderWith({ "holiday.jpg": "" });
    await expect(startEmbeddedPostgres({ folder })).rejects.toThrow("is not a Postgres data folder");
  });

  test("when the password is gone", async () => {
    const folder = await folderWith({ PG_VERSION: "18\n" });
    await expect(startEmbeddedPostgres({ folder })).rejects.toThrow(
      `The password of the database cannot be read from ${folder}/password: bring that file back`,
    );
  });

  test("when something else has the folder's name", async () => {
    const folder = join(await temporaryFolder(), "postgres");
    await writeFile(folder, "");
    await expect(startEmbeddedPostgres({ folder })).rejects.toThrow(/ is in its way: move that/);
  });

  test("when the folder leads to a serverFolder that is gone, instead of giving an empty database", async () => {
    const parent = await temporaryFolder();
    const [folder, gone] = [join(parent, "postgres"), join(parent, "gone")];
    await symlink(gone, folder);
    await expect(startEmbeddedPostgres({ folder })).rejects.toThrow(
      `The database folder ${folder} leads to ${gone}, which is gone: bring that back, or remove ${folder} to begin with an empty database.`,
    );
  });

  test("when the platform has no server", async () => {
    await expect(installedPrograms("win32-x64")).rejects.toThrow(
      "There is no embedded Postgres for win32-x64: set DATABASE_URL to use a database of your own.",
    );
  });

  test.each([
    ["EROFS", "open", "may not be written"],
    ["ENOENT", "mkdir", "may not be written"],
    ["EDQUOT", "write", "There is no space left"],
    ["ENOSPC", "write", "There is no space left"],
  ])("when the file system answers %s to %s", (code, syscall, words) => {
    const cause = Object.assign(new Error(code), { code, syscall, path: "/data/port" });
    const explained = explainFailure(cause, "/data");
    expect(explained).toBeInstanceOf(EmbeddedPostgresError);
    expect(explained).toMatchObject({ message: expect.stringContaining(words), cause });
  });

  test("when a program ends without a word", () => {
    expect(explainLog("starting", { path: "/data/postgres.log", text: "" }).message).toBe(
      "Postgres failed while starting: it did not say why (log: /data/postgres.log).",
    );
  });
});
