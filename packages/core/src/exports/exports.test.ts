import { execFile } from "node:child_process";
import { access, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { type Caller, exportDays } from "@querybell/domain";
import { expect, onTestFinished } from "vitest";
import { createFolder } from "../folders/index.ts";
import { createKey } from "../keys/index.ts";
import { moveItems } from "../library/index.ts";
import { setParameters } from "../queries/index.ts";
import { createReference } from "../references/index.ts";
import { runQuery } from "../runs/index.ts";
import { appError } from "../testing/app-error.ts";
import { createParquetReader, dbTest, execute } from "../testing/index.ts";
import { exportFolder } from "./export-files.ts";
import { createExport, deleteExport, executeExport, findExport, openExport, sweepExports } from "./index.ts";

const run = promisify(execFile);

const test = dbTest.extend("unpack", { scope: "file" }, ({ deps }) => {
  /** Downloads an export and unpacks it with tar. Returns a function that reads its files, and their names. */
  return async (caller: Caller, id: string) => {
    const { content, bytes } = await openExport(deps, caller, { id });
    const archive = await buffer(content);
    expect(archive.length).toBe(bytes);
    const folder = join(deps.deployment.dataFolder, `unpacked-${id}`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "archive.tar.gz"), archive);
    await run("tar", ["xzf", "archive.tar.gz"], { cwd: folder });
    const { stdout } = await run("tar", ["tzf", "archive.tar.gz"], { cwd: folder });
    const read = (path: string) => readFile(join(folder, path));
    const json = async (path: string) => JSON.parse((await read(path)).toString());
    return { names: stdout.trim().split("\n").sort(), read, json };
  };
});

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

test("has everything of the organization as files, and no secret", async ({ make, deps, unpack }) => {
  const owner = await make.owner();
  const member = await make.member(owner.organizationId);
  const { key } = await createKey(deps, owner, { name: "Nightly", scopes: ["queries:read"] });
  const sql = "SELECT 9007199254740993 AS big, {{word}} AS word";
  const query = await make.query(owner, sql);
  const { id: folderId } = await createFolder(deps, owner, { name: "Sales", parentId: null });
  await moveItems(deps, owner, { items: [{ kind: "query", id: query.id }], folderId });
  const definitions = [
    { name: "word", displayName: "Word", type: "string", defaultValue: "a", description: "" },
  ] as const;
  await setParameters(deps, owner, {
    id: query.id,
    version: 0,
    definitions: [...definitions],
    choices: {},
    ranges: [],
  });
  const chart = await createReference(deps, owner, { queryId: query.id, title: "Größe / ..\\ 北京" });
  const automation = await make.automation(owner);
  const { id: runId } = await runQuery(deps, owner, { id: query.id, parameterValues: { word: "é" } });
  await execute(deps, runId);
  const other = await make.query(await make.owner(), "SELECT 'of another organization'");
  const filtered = await make.query(owner, "SELECT {{user_email}} AS mine");
  await execute(deps, (await runQuery(deps, member, { id: filtered.id, parameterValues: {} })).id);

  const { id } = await createExport(deps, owner);
  expect(await findExport(deps, owner)).toMatchObject({ id, state: "pending", bytes: null });
  await executeExport(deps, { organizationId: owner.organizationId, id });
  expect(await findExport(deps, owner)).toMatchObject({
    ...{ id, state: "ready", bytes: expect.any(Number) },
  });

  const { names, read, json } = await unpack(owner, id);
  expect(names).not.toContainEqual(expect.stringContaining(other.id));
  // Its SQL, and not the result that only the member sees.
  expect(names.filter((name) => name.includes(filtered.id))).toHaveLength(2);
  const ofQuery = names.filter((name) => name.includes(query.id));
  expect(ofQuery).toHaveLength(3);
  const [queryJson, querySql, result] = ofQuery;
  expect((await read(querySql ?? "")).toString()).toBe(sql);
  expect(await json(queryJson ?? "")).toMatchObject({
    id: query.id,
    folderId,
    parameters: { definitions },
    results: [{ file: result, runId, rowCount: 1, parameterValues: { word: "é" } }],
  });
  const reader = await createParquetReader();
  onTestFinished(() => reader.close());
  expect(await reader.read(await read(result ?? ""))).toMatchObject({
    columns: [{ name: "big" }, { name: "word" }],
    values: [["9007199254740993"], ["é"]],
  });
  expect(await json(`charts/gro-e-${chart.shortId}.json`)).toMatchObject({
    title: chart.title,
    queryId: query.id,
  });
  expect(await json(names.find((name) => name.includes(automation.id)) ?? "")).toMatchObject({
    name: automation.name,
  });
  expect(await json("members.json")).toMatchObject([
    { userId: owner.userId, email: owner.email, role: "owner" },
    { userId: member.userId, email: member.email, role: "member" },
  ]);
  expect(await json("folders.json")).toMatchObject([{ id: folderId, name: "Sales" }]);
  expect(await json("groups.json")).toEqual([]);
  expect(await json("access.json")).toEqual([]);
  expect(await json("embedding-keys.json")).toEqual([]);
  expect((await read("audit-log.jsonl")).toString()).toContain('"action":"export.created"');

  const secretHash = (await deps.db.prisma.apiKey.findFirstOrThrow({ where: { name: "Nightly" } }))
    .secretHash;
  for (const name of names) {
    const text = (await read(name)).toString("latin1");
    for (const secret of [key.slice(-20), Buffer.from(secretHash).toString("hex")]) {
      expect(text, name).not.toContain(secret);
    }
    expect(text, name).not.toMatch(/sealed|password"/i);
  }
});

test("is for owners, one at a time, and for a week", async ({ make, deps, clock }) => {
  const owner = await make.owner();
  const { organizationId } = owner;
  const admin = await make.member(organizationId, "admin");
  await expect(createExport(deps, admin)).rejects.toEqual(appError("forbidden"));
  const [first, same] = await Promise.all([createExport(deps, owner), createExport(deps, owner)]);
  expect(same.id).toBe(first.id);
  await executeExport(deps, { organizationId, id: first.id });
  await expect(openExport(deps, admin, first)).rejects.toEqual(appError("forbidden"));
  await expect(openExport(deps, await make.owner(), first)).rejects.toEqual(appError("not_found"));

  const second = await createExport(deps, owner);
  await expect(openExport(deps, owner, first)).rejects.toEqual(appError("not_found"));
  await sweepExports(deps);
  expect(await exists(exportFolder(deps, { organizationId, id: first.id }))).toBe(false);
  await executeExport(deps, { organizationId, id: second.id });
  const file = exportFolder(deps, { organizationId, id: second.id });
  await sweepExports(deps);
  expect(await exists(file)).toBe(true);
  await clock.advance(exportDays * 24 * 60 * 60 * 1000);
  expect(await findExport(deps, owner)).toBeNull();
  await expect(openExport(deps, owner, second)).rejects.toEqual(appError("not_found"));
  await sweepExports(deps);
  expect(await exists(file)).toBe(false);
  expect(await deps.db.prisma.organizationExport.count({ where: { organizationId } })).toBe(0);
});

test("is made anew after a crash, and not at all once it is deleted", async ({ make, deps, unpack }) => {
  const owner = await make.owner();
  const { organizationId } = owner;
  const { id } = await createExport(deps, owner);
  const folder = exportFolder(deps, { organizationId, id });
  // As a killed worker leaves it.
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "left.part"), "half of a fi");
  await deps.db.prisma.organizationExport.update({
    where: { id },
    data: { state: "running", itemsTotal: 9 },
  });
  expect(await executeExport(deps, { organizationId, id })).toBe("made");
  expect((await unpack(owner, id)).names).toContain("README.md");
  expect(await executeExport(deps, { organizationId, id })).toBe("not wanted any more");

  const next = await createExport(deps, owner);
  await deleteExport(deps, owner, next);
  expect(await executeExport(deps, { organizationId, id: next.id })).toBe("not wanted any more");
  await expect(deleteExport(deps, owner, next)).rejects.toEqual(appError("not_found"));
});
