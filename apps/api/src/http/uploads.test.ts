import { once } from "node:events";
import { mkdirSync, rmSync, truncateSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { Deps } from "@querybell/core";
import { changeSettings } from "@querybell/core/organizations";
import { createQuery } from "@querybell/core/queries";
import { getUploadsDatabase, importUpload, sweepUploads } from "@querybell/core/uploads";
import { waitUntilBlocked, whileOtherTransaction } from "@querybell/webhooks/testing";
import { describe, expect, vi } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { startApi } from "../testing/api-test.ts";
import { sendUpload, uploadFile } from "../testing/send-upload.ts";
import { uploadTest, withLimits } from "../testing/upload-test.ts";

const csv = "id,name,price\n1,apple,1.5\n2,pear,\n";

describe("an uploaded file", () => {
  uploadTest("is previewed, imported with other types, and queried", async ({ api, make, uploads, deps }) => {
    const owner = await make.owner();
    const headers = await uploads.keyOf(owner);
    const client = api.withKey(headers.authorization?.slice(7) ?? "");
    const before = await client.uploads.overview.query();
    expect(before).toMatchObject({ tables: [], waiting: [], usedBytes: 0, mayChange: true });

    const upload = await uploadFile(api, { content: csv, headers });
    expect(upload).toMatchObject({ fileName: "sales.csv", format: "csv", bytes: csv.length });
    expect(await client.uploads.preview.query({ id: upload.id })).toMatchObject({
      columns: [{ type: "BIGINT" }, { type: "VARCHAR" }, { type: "DOUBLE" }],
      rows: [
        ["1", "apple", "1.5"],
        ["2", "pear", null],
      ],
      suggestedTable: "sales",
    });
    const types = { price: "DECIMAL(18,2)" } as const;
    const table = await client.uploads.import.mutate({ id: upload.id, table: "sales", types });
    expect(table).toMatchObject({ name: "sales", rowCount: 2, fileName: "sales.csv" });
    expect(table.columns[2]).toEqual({ name: "price", type: "DECIMAL(18,2)" });
    expect(await uploads.rows(owner, "SELECT * FROM sales")).toEqual([
      [1, "apple", "1.50"],
      [2, "pear", null],
    ]);
    expect(uploads.files(owner)).toEqual([expect.stringMatching(/^[0-9a-f-]{36}\/uploads\.duckdb$/)]);

    const after = await client.uploads.overview.query();
    expect(after).toMatchObject({ tables: [{ name: "sales" }], waiting: [] });
    expect(after.usedBytes).toBeGreaterThan(0);
    await expect(client.uploads.preview.query({ id: upload.id })).rejects.toEqual(apiError("not_found"));

    const session = await api.signedIn(owner);
    const { items } = await session.audit.list.query({ action: "uploaded_table.created" });
    expect(items).toMatchObject([{ detail: { table: "sales", fileName: "sales.csv", rows: 2 } }]);
    // The database is there for queries like any other, and cannot be taken away.
    const databases = await session.databases.list.query();
    expect(databases).toEqual([
      { id: after.databaseId, name: "Uploads", engine: "duckdb", holdsUploads: true, mayWriteSql: true },
    ]);
    expect(await session.databases.tables.query({ id: after.databaseId })).toMatchObject([{ name: "sales" }]);
    await createQuery(deps, owner, { sql: "SELECT 1", analyticalDatabaseConfigId: after.databaseId });
    await expect(session.databases.delete.mutate({ id: after.databaseId })).rejects.toEqual(
      apiError("invalid_request"),
    );
    expect(await session.databases.describe.query()).toEqual([]);
  });

  uploadTest("is imported by one command, or leaves nothing", async ({ api, make, uploads }) => {
    const owner = await make.owner();
    const headers = await uploads.keyOf(owner);
    const parameters = { table: "sales", mode: "create" };
    const made = await sendUpload(api, { content: csv, headers, parameters });
    expect([made.status, await made.json()]).toMatchObject([201, { name: "sales", rowCount: 2 }]);
    const again = await sendUpload(api, { content: csv, headers, parameters });
    expect([again.status, await again.json()]).toMatchObject([409, { code: "conflict" }]);
    const more = await sendUpload(api, {
      content: csv,
      headers,
      parameters: { ...parameters, mode: "append" },
    });
    expect(await more.json()).toMatchObject({ rowCount: 4 });
    const broken = await sendUpload(api, {
      content: "id,name,price\n1,a,1,1\n",
      headers,
      parameters: { ...parameters, mode: "append" },
    });
    expect([broken.status, await broken.json()]).toMatchObject([
      422,
      { code: "upload_unreadable", detail: expect.stringMatching(/^Line 2 has 4 values/) },
    ]);
    expect(await uploads.rows(owner, "SELECT count(*) FROM sales")).toEqual([[4]]);
    const waiting = uploads.files(owner).filter((file) => file.startsWith("waiting/"));
    expect(waiting).toEqual([]);
  });

  uploadTest(
    "that does not have the names where its table remembers them is read as it shows itself",
    async ({ api, make, uploads }) => {
      const owner = await make.owner();
      const headers = await uploads.keyOf(owner);
      const client = await api.signedIn(owner);
      const send = async (content: string, parameters: Record<string, string>) => {
        const answer = await sendUpload(api, {
          content,
          headers,
          parameters: { table: "sales", ...parameters },
        });
        return [answer.status, await answer.json()];
      };
      const titled = "Report\n\nid,name\n1,Ann\n";
      const plain = "id,name\n1,a\n2,b\n3,c\n4,d\n";
      await send(titled, { header: "3" });
      const replace = { mode: "replace" };
      const fifth = `${titled}5,e\n`;
      expect(await send(fifth, { ...replace, dryRun: "true" })).toMatchObject([
        201,
        { reading: { header: 3 }, remembered: { header: 3 }, rows: [["1", "Ann"], {}] },
      ]);
      expect(await send(plain, { mode: "append" })).toMatchObject([
        201,
        { rowCount: 5, reading: { header: 3 } },
      ]);
      expect(await send(plain, { ...replace, dryRun: "true" })).toMatchObject([
        201,
        { reading: { header: 1 }, remembered: {}, rows: [["1", "a"], {}, {}, {}] },
      ]);
      const [status, table] = await send(plain, replace);
      expect([status, table]).toMatchObject([
        201,
        { rowCount: 4, columns: [{ name: "id" }, { name: "name" }] },
      ]);
      // The table no longer remembers a line that its file does not have.
      expect(table).toMatchObject({ reading: expect.not.objectContaining({ header: 3 }) });

      const { id } = await uploadFile(api, { content: titled, headers });
      const refused = client.uploads.preview.query({ id });
      await expect(refused).rejects.toEqual(apiError("upload_unreadable"));
      expect(await client.uploads.preview.query({ id, answersRefusal: true })).toMatchObject({
        refusal: { message: expect.stringMatching(/^Line 3 has 2 values/), suggestedHeader: 3 },
        reading: { header: 1 },
        rows: [],
      });
    },
  );

  uploadTest("may begin with a byte order mark", async ({ api, make, uploads }) => {
    const owner = await make.owner();
    const headers = await uploads.keyOf(owner);
    const files = { csv: '\ufeff"id",b\r\n1,x\r\n', jsonl: '\ufeff{"id":1,"b":"x"}\r\n' };
    for (const [ending, content] of Object.entries(files)) {
      const answer = await sendUpload(api, {
        name: `file.${ending}`,
        content,
        headers,
        parameters: { table: ending },
      });
      expect([answer.status, await answer.json()]).toMatchObject([
        201,
        { columns: [{ name: "id", type: "BIGINT" }, { name: "b" }], rowCount: 1 },
      ]);
      expect(await uploads.rows(owner, `SELECT id, b FROM ${ending}`)).toEqual([[1, "x"]]);
    }
  });

  uploadTest(
    "that does not show how it is read needs to be told once, and is then kept up to date",
    async ({ api, make, uploads }) => {
      const owner = await make.owner();
      const headers = await uploads.keyOf(owner);
      const client = await api.signedIn(owner);
      const latin1 = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
      const first = latin1("id;name;price\n1;Café;1.234,50\n2;Bar;2,00\n");
      const parameters = { table: "places", mode: "upsert", key: "id" };
      const refused = await sendUpload(api, { content: first, headers, parameters });
      expect([refused.status, await refused.json()]).toMatchObject([
        422,
        { detail: expect.stringMatching(/^Line 2 is not UTF-8\. .*Send encoding: windows-1252/) },
      ]);
      const { id } = await uploadFile(api, { content: first, headers });
      const reading = { encoding: "windows-1252", numbers: { price: "1.234,56" } } as const;
      expect(await client.uploads.preview.query({ id })).toMatchObject({
        rows: [["1", "Café", "1.234,50"], {}],
        questions: [{ about: "encoding" }],
        numberReadings: [{ column: "price", form: "1.234,56", written: "1.234,50", read: "1234.50" }],
      });
      const upsert = { id, table: "places", mode: "upsert", reading } as const;
      expect(await client.uploads.import.mutate({ ...upsert, key: ["id"] })).toMatchObject({
        rowCount: 2,
        reading,
        key: ["id"],
      });

      // From here on, the table knows.
      const later = { content: latin1("id;name;price\n2;Bär;3,5\n3;Pub;1.000\n"), headers };
      const remembered = { table: "places", mode: "upsert" };
      const update = { added: 1, changed: 1, unchanged: 0, kept: 1 };
      const dryRun = await sendUpload(api, { ...later, parameters: { ...remembered, dryRun: "true" } });
      expect([dryRun.status, await dryRun.json()]).toMatchObject([201, { update, reading }]);
      expect(await uploads.rows(owner, "SELECT count(*) FROM places")).toEqual([[2]]);
      const done = await sendUpload(api, { ...later, parameters: remembered });
      expect([done.status, await done.json()]).toMatchObject([201, { rowCount: 3, update }]);
      expect(await uploads.rows(owner, "SELECT * FROM places ORDER BY id")).toEqual([
        [1, "Café", 1234.5],
        [2, "Bär", 3.5],
        [3, "Pub", 1000],
      ]);
      const { items } = await client.audit.list.query({ action: "uploaded_table.updated" });
      expect(items).toMatchObject([{ detail: { table: "places", rows: 3 } }]);

      // Whatever the case of its names, and what is sent for another column.
      const named = { content: latin1("ID;Name;PRICE\n4;Thé;2.000\n"), headers };
      const waiting = await uploadFile(api, named);
      const append = { id: waiting.id, table: "places", mode: "append" } as const;
      const asked = { ...append, reading: { numbers: { id: "1,234.56" } } } as const;
      await expect(client.uploads.import.mutate(asked)).rejects.toThrow(
        /^The numbers of the column PRICE came to the table places written in a form/,
      );
      expect(await client.uploads.preview.query({ id: waiting.id, table: "places" })).toMatchObject({
        remembered: { encoding: "windows-1252", numbers: { PRICE: "1.234,56" } },
      });
      expect(await client.uploads.import.mutate(append)).toMatchObject({ rowCount: 4, reading });
      expect(await uploads.rows(owner, "SELECT price FROM places WHERE id = 4")).toEqual([[2000]]);
      expect(uploads.files(owner).filter((file) => file.startsWith("waiting/"))).toEqual([]);

      // A file with numbers in another form is answered with the forms that fit.
      const points = await uploadFile(api, { content: "id;name;price\n5;Zoo;1,234.50\n", headers });
      const preview = { id: points.id, table: "places", answersRefusal: true };
      expect(await client.uploads.preview.query(preview)).toMatchObject({
        refusal: { message: expect.stringMatching(/no number written like 1\.234,56/), column: "price" },
        reading: { delimiter: ";", numbers: { price: "1.234,56" } },
        numberReadings: [{ column: "price", form: "1,234.56", written: "1,234.50", read: "1234.50" }],
      });
      // What is sent for a column takes the place of what was remembered of it.
      const changed = { numbers: { PRICE: "1,234.56" } } as const;
      const added = { id: points.id, table: "places", mode: "append", reading: changed } as const;
      const { reading: kept } = await client.uploads.import.mutate(added);
      expect(kept.numbers).toEqual(changed.numbers);
      expect(await uploads.rows(owner, "SELECT price FROM places WHERE id = 5")).toEqual([[1234.5]]);

      const other = await sendUpload(api, {
        content: "a\n1\n",
        headers,
        parameters: { table: "t", mode: "upsert" },
      });
      expect([other.status, await other.json()]).toMatchObject([
        400,
        { detail: expect.stringMatching(/^Send key/) },
      ]);
    },
  );

  uploadTest("with JSON, or packed, is imported by its name", async ({ api, make, uploads }) => {
    const owner = await make.owner();
    const headers = await uploads.keyOf(owner);
    const files = {
      "a.json": '[{"v":1}]',
      "b.csv.gz": new Uint8Array(gzipSync("v\n1\n")),
    };
    for (const [name, content] of Object.entries(files)) {
      const table = name.slice(0, 1);
      const answer = await sendUpload(api, { name, content, headers, parameters: { table } });
      expect([answer.status, await answer.json()]).toMatchObject([
        201,
        { columns: [{ name: "v", type: "BIGINT" }] },
      ]);
      expect(await uploads.rows(owner, `SELECT v FROM ${table}`)).toEqual([[1]]);
    }
    const named = await sendUpload(api, { name: "d.doc", content: "x", headers });
    expect(await named.json()).toMatchObject({
      detail: expect.stringMatching(/^The name must end in \.csv/),
    });
  });

  uploadTest(
    "with dates that can be read in two orders needs one, which its table remembers",
    async ({ api, make, uploads }) => {
      const owner = await make.owner();
      const headers = await uploads.keyOf(owner);
      const client = await api.signedIn(owner);
      const send = (parameters: Record<string, string>) =>
        sendUpload(api, {
          content: "day\n01/02/2024\n",
          headers,
          parameters: { table: "sales", ...parameters },
        });
      const refused = await send({});
      expect(refused.status).toBe(422);
      expect(await refused.json()).toMatchObject({
        code: "upload_unreadable",
        detail: expect.stringMatching(/01\/02\/2024 can be 2024-02-01 or 2024-01-02, .* Send dateOrder/),
      });
      expect((await send({ dateOrder: "ymd" })).status).toBe(400);
      expect((await send({ dateOrder: "mdy" })).status).toBe(201);
      expect((await send({ mode: "append" })).status).toBe(201);
      expect(await uploads.rows(owner, "SELECT day FROM sales")).toEqual([["2024-01-02"], ["2024-01-02"]]);
      const { tables } = await client.uploads.overview.query();
      expect(tables[0]?.columns).toEqual([{ name: "day", type: "DATE", dateOrder: "mdy" }]);

      // A preview for the table shows how they are read, and a file that replaces it is read so.
      const { id } = await uploadFile(api, { content: "day\n03/04/2024\n", headers });
      expect(await client.uploads.preview.query({ id, table: "sales" })).toMatchObject({
        rows: [["2024-03-04"]],
        ambiguousDates: [{ column: "day" }],
        dateOrder: "mdy",
      });
      const other = await client.uploads.preview.query({ id, table: "sales", dateOrder: "dmy" });
      expect(other).toMatchObject({ rows: [["2024-04-03"]], dateOrder: "dmy" });
      expect(await client.uploads.preview.query({ id })).toMatchObject({ rows: [["03/04/2024"]] });
      await client.uploads.import.mutate({ id, table: "sales", mode: "replace" });
      expect(await uploads.rows(owner, "SELECT day FROM sales")).toEqual([["2024-03-04"]]);
    },
  );

  uploadTest("with names only is previewed with the types of its table", async ({ api, make, uploads }) => {
    const owner = await make.owner();
    const headers = await uploads.keyOf(owner);
    const client = await api.signedIn(owner);
    await sendUpload(api, { content: "id,day\n1,2024-01-31\n", headers, parameters: { table: "sales" } });
    const typesFor = async (content: string, table?: string) => {
      const { id } = await uploadFile(api, { content, headers });
      const { columns } = await client.uploads.preview.query({ id, ...(table && { table }) });
      return columns.map(({ type }) => type);
    };
    expect(await typesFor("Day,ID\n", "sales")).toEqual(["DATE", "BIGINT"]);
    expect(await typesFor("day,id\n")).toEqual(["VARCHAR", "VARCHAR"]);
    expect(await typesFor("day,id,more\n", "sales")).toEqual(["VARCHAR", "VARCHAR", "VARCHAR"]);
  });

  uploadTest("changes the table of its exact name only", async ({ api, make, uploads }) => {
    const owner = await make.owner();
    const headers = await uploads.keyOf(owner);
    const session = await api.signedIn(owner);
    const importInto = (table: string) =>
      sendUpload(api, { content: csv, headers, parameters: { table, mode: "replace" } });
    const names = async () => (await session.uploads.overview.query()).tables.map(({ name }) => name);
    for (const table of ["week11", "week_1", "Week_1"]) expect((await importInto(table)).status).toBe(201);
    expect(await names()).toEqual(["Week_1", "week11"]);
    await session.uploads.drop.mutate({ table: "week_1" });
    expect(await names()).toEqual(["week11"]);
    await expect(session.uploads.drop.mutate({ table: "week_1" })).rejects.toEqual(apiError("not_found"));
  });

  uploadTest("stays imported if it cannot be deleted afterwards", async ({ api, make, deps, uploads }) => {
    const owner = await make.owner();
    const { id } = await uploadFile(api, { content: csv, headers: await uploads.keyOf(owner) });
    const waiting = join(deps.deployment.dataFolder, "uploads", owner.organizationId, "waiting", id);
    const changeTables: Deps["engines"]["changeTables"] = async (request, options) => {
      const outcome = await deps.engines.changeTables(request, options);
      // A folder is not deleted like a file.
      rmSync(waiting);
      mkdirSync(waiting);
      return outcome;
    };
    const failing = { ...deps, engines: { ...deps.engines, changeTables } };
    const table = { id, table: "sales", mode: "create" as const, key: [], reading: {}, types: {} };
    expect(await importUpload(failing, owner, table)).toMatchObject({ name: "sales", rowCount: 2 });
    rmSync(waiting, { recursive: true });
    expect(await sweepUploads(deps)).toMatchObject({ waitingFiles: 1 });
  });

  uploadTest(
    "is added to the tables of a change that commits after its lease has expired",
    async ({ api, make, deps, uploads }) => {
      const owner = await make.owner();
      const headers = await uploads.keyOf(owner);
      const importInto = (table: string) =>
        sendUpload(api, { content: csv, headers, parameters: { table, mode: "create" } });
      const currentFile = async () =>
        (await getUploadsDatabase(deps.db.prisma, owner.organizationId)).uploadFileId;
      const setFile = "UPDATE analytical_database_configs SET upload_file_id = $2 WHERE upload_file_id = $1";
      await importInto("first");
      const before = await currentFile();
      await importInto("second");
      const after = await currentFile();
      // As if the import of the second table had not committed yet.
      await deps.db.pool.query(setFile, [after, before]);
      await deps.db.pool.query(
        "UPDATE upload_stores SET change_until = now() - interval '1 second' WHERE organization_id = $1",
        [owner.organizationId],
      );
      const { id } = await uploadFile(api, { content: csv, headers });
      const session = await api.signedIn(owner);
      let third: ReturnType<typeof session.uploads.import.mutate> | undefined;
      await whileOtherTransaction(
        deps.db.pool,
        {
          has: `WITH ended AS (UPDATE upload_stores SET change_until = NULL WHERE organization_id = $3) ${setFile}`,
          values: [before, after, owner.organizationId],
        },
        async () => {
          third = session.uploads.import.mutate({ id, table: "third" });
          await waitUntilBlocked(deps.db.pool, third);
        },
      );
      await third;
      expect(await uploads.rows(owner, "SELECT count(*) FROM second, third")).toEqual([[4]]);
    },
  );

  uploadTest(
    "before there is any, the database is empty and can be queried",
    async ({ api, make, uploads }) => {
      const owner = await make.owner();
      expect(await uploads.rows(owner, "SELECT 1 AS a")).toEqual([[1]]);
      const session = await api.signedIn(owner);
      const { databaseId } = await session.uploads.overview.query();
      expect(await session.databases.tables.query({ id: databaseId })).toEqual([]);
      await expect(uploads.rows(owner, "CREATE TABLE x (a INT)")).rejects.toThrow();
    },
  );
});

describe("who may upload", () => {
  uploadTest("needs the scope, and a session of our own pages", async ({ api, make, makeKey, uploads }) => {
    const owner = await make.owner();
    const { key } = await makeKey(owner, { scopes: ["queries:read", "queries:run"] });
    const cookie = await api.sessionCookie(owner.email);
    const status = async (headers: Record<string, string>) =>
      (await sendUpload(api, { content: csv, headers })).status;
    expect(await status({})).toBe(401);
    expect(await status({ authorization: "Bearer qb_nothing" })).toBe(401);
    expect(await status({ authorization: `Bearer ${key}` })).toBe(403);
    expect(await status({ cookie })).toBe(403);
    expect(await status({ cookie, origin: "https://evil.test" })).toBe(403);
    expect(uploads.files(owner)).toEqual([]);
    expect(await status({ cookie, origin: api.origin })).toBe(201);
  });

  uploadTest("can be kept to admins", async ({ api, make, deps, uploads }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const headers = await uploads.keyOf(member);
    const client = await api.signedIn(member);
    const { id } = await uploadFile(api, { content: csv, headers });
    await deps.db.transaction((tx) => changeSettings({ ...deps, tx }, owner, { uploadsBy: "admins" }));
    expect(await client.uploads.overview.query()).toMatchObject({ mayChange: false });
    expect((await sendUpload(api, { content: csv, headers })).status).toBe(403);
    for (const call of [
      () => client.uploads.preview.query({ id }),
      () => client.uploads.import.mutate({ id, table: "sales" }),
      () => client.uploads.discard.mutate({ id }),
      () => client.uploads.drop.mutate({ table: "sales" }),
    ]) {
      await expect(call()).rejects.toEqual(apiError("forbidden"));
    }
    const admin = await api.signedIn(owner);
    expect(await admin.uploads.import.mutate({ id, table: "sales" })).toMatchObject({ rowCount: 2 });
  });
});

describe("a file is refused", () => {
  uploadTest("by its name, its form and its emptiness", async ({ api, make, uploads }) => {
    const owner = await make.owner();
    const headers = await uploads.keyOf(owner);
    const answer = async (file: Partial<Parameters<typeof sendUpload>[1]>) => {
      const { status, ...rest } = await sendUpload(api, { content: csv, headers, ...file });
      return [status, rest];
    };
    expect((await answer({ name: "sales.doc" }))[0]).toBe(415);
    expect((await answer({ name: "" }))[0]).toBe(400);
    expect((await answer({ parameters: { table: "duckdb_tables" } }))[0]).toBe(400);
    expect((await answer({ parameters: { surprise: "1" } }))[0]).toBe(400);
    expect(
      (await answer({ headers: { ...headers, "content-type": "multipart/form-data; boundary=x" } }))[0],
    ).toBe(415);
    expect((await answer({ content: "" }))[0]).toBe(422);
    expect((await answer({ name: "sales", parameters: { format: "csv" } }))[0]).toBe(201);
    expect(uploads.files(owner)).toHaveLength(1);
  });

  uploadTest("beyond the size of a file and the organization's quota", async ({ deps, make, uploads }) => {
    const limits = { maxFileBytes: 2_000_000, quotaBytes: 3_000_000 };
    await using api = await startApi({ deps: withLimits(deps, limits) });
    const owner = await make.owner();
    const headers = await uploads.keyOf(owner);
    const big = `a\n${"x".repeat(99)}\n`.padEnd(1_900_000, `${"x".repeat(99)}\n`);
    const send = (content: string | Uint8Array<ArrayBuffer>) => sendUpload(api, { content, headers });
    const tooLarge = await send(new Uint8Array(2_000_001));
    expect([tooLarge.status, await tooLarge.json()]).toMatchObject([413, { code: "payload_too_large" }]);
    expect((await send(big)).status).toBe(201);
    const second = await send(big);
    expect([second.status, await second.json()]).toMatchObject([413, { code: "quota_exceeded" }]);
    // A client that does not announce its size finds out on the way.
    const stream = new ReadableStream({
      async pull(controller) {
        controller.enqueue(new TextEncoder().encode(big.slice(0, 100_000)));
        await wait(0);
      },
    });
    const unannounced = await api.fetch("/api/uploads?name=a.csv", {
      method: "POST",
      headers,
      body: stream,
      duplex: "half",
    } as RequestInit);
    expect([unannounced.status, await unannounced.json()]).toMatchObject([413, { code: "quota_exceeded" }]);
    expect(uploads.files(owner)).toHaveLength(1);
  });

  uploadTest(
    "into a file that is larger than the quota, whatever its tables are said to use; a table of it can be dropped",
    async ({ deps, make, uploads, duckdbFolder }) => {
      const limits = { maxFileBytes: 1_000_000, quotaBytes: 1_000_000 };
      await using api = await startApi({ deps: withLimits(deps, limits) });
      const owner = await make.owner();
      const headers = await uploads.keyOf(owner);
      const importFile = (table: string) => sendUpload(api, { content: csv, headers, parameters: { table } });
      expect((await importFile("sales")).status).toBe(201);
      const [file = ""] = uploads.files(owner);
      truncateSync(join(duckdbFolder, "uploads", owner.organizationId, file), 70_000_000);
      const refused = await importFile("more");
      expect([refused.status, await refused.json()]).toMatchObject([413, { code: "quota_exceeded" }]);
      const client = api.withKey(headers.authorization?.slice(7) ?? "");
      await client.uploads.drop.mutate({ table: "sales" });
    },
  );

  uploadTest("and its sender, who does not stop, is cut off", async ({ deps, make, uploads }) => {
    const limits = { maxFileBytes: 100_000, quotaBytes: 100_000 };
    await using api = await startApi({ deps: withLimits(deps, limits) });
    const { authorization } = await uploads.keyOf(await make.owner());
    const client = connect(Number(new URL(api.url).port), "127.0.0.1");
    client.write(
      `POST /api/uploads?name=a.csv HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    // One piece of a file that never ends.
    client.write(`30d40\r\n${"x".repeat(200_000)}\r\n`);
    const [answer] = await once(client, "data");
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
    // The server does not read what is on its way.
    client.on("error", () => {});
    await vi.waitFor(async () => expect(await api.openConnections()).toBe(0), { timeout: 30_000 });
  });
});

describe("the sweeper", () => {
  uploadTest(
    "deletes what nobody needs any more, and nothing else",
    async ({ api, make, clock, deps, uploads }) => {
      const owner = await make.owner();
      const headers = await uploads.keyOf(owner);
      const importFile = () =>
        sendUpload(api, { content: csv, headers, parameters: { table: "sales", mode: "replace" } });
      await importFile();
      await uploadFile(api, { content: csv, headers });
      await importFile();
      expect(uploads.files(owner)).toHaveLength(3);
      await sweepUploads(deps);
      // The replaced file is kept for a while, because a process may have just read its name.
      expect(uploads.files(owner)).toHaveLength(3);
      await clock.advance(10 * 60_000);
      await sweepUploads(deps);
      expect(uploads.files(owner)).toHaveLength(2);
      await clock.advance(25 * 3_600_000);
      await sweepUploads(deps);
      const [left, ...others] = uploads.files(owner);
      expect([left, others]).toEqual([expect.stringMatching(/uploads\.duckdb$/), []]);
      expect(await uploads.rows(owner, "SELECT count(*) FROM sales")).toEqual([[2]]);
    },
  );
});
