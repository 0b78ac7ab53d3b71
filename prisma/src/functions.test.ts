import { createDatabase, startThrowawayPostgres, withConnection } from "@querybell/embedded-postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FunctionSource, functionsScript } from "./functions.ts";

let server: Awaited<ReturnType<typeof startThrowawayPostgres>>;
beforeAll(async () => {
  server = await startThrowawayPostgres();
});
afterAll(() => server.stop());

const source = (name: string, text: string): FunctionSource => ({ name, text });
const one = source("one", "CREATE OR REPLACE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1';");
const stamp = source(
  "stamp",
  `CREATE OR REPLACE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER notes_stamp BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION stamp();`,
);

test.each([
  { change: "nothing", to: [one, stamp], script: "" },
  {
    change: "the text of a function",
    to: [{ ...one, text: one.text.replace("SELECT 1", "SELECT 2") }, stamp],
    script: one.text.replace("SELECT 1", "SELECT 2"),
  },
  {
    change: "the type of a function",
    to: [{ ...one, text: one.text.replace("int", "bigint") }, stamp],
    script: `DROP FUNCTION one;\n\n${one.text.replace("int", "bigint")}`,
  },
  {
    change: "the parameters of a function",
    to: [{ ...one, text: one.text.replace("()", "(a int)") }, stamp],
    script: `${one.text.replace("()", "(a int)")}\n\nDROP FUNCTION one();`,
  },
  {
    change: "the condition of a trigger",
    to: [one, { ...stamp, text: stamp.text.replace("EACH ROW", "EACH ROW WHEN (NEW.a > 1)") }],
    script: stamp.text.replace("EACH ROW", "EACH ROW WHEN (NEW.a > 1)"),
  },
  {
    change: "a trigger that is gone",
    to: [one, { ...stamp, text: stamp.text.replace(/CREATE OR REPLACE TRIGGER.*/, "").trim() }],
    script: "DROP TRIGGER notes_stamp ON notes;",
  },
  {
    change: "sources that are gone",
    to: [],
    script: "DROP TRIGGER notes_stamp ON notes;\n\nDROP FUNCTION stamp();\n\nDROP FUNCTION one();",
  },
])("the script for $change leads to the sources", async ({ to, script }) => {
  await using database = await createDatabase(server);
  await withConnection(database.url, async (client) => {
    await client.query(`CREATE TABLE notes (a int); ${one.text} ${stamp.text}`);
    expect(await functionsScript(client, to)).toBe(script);
    await client.query(script);
    expect(await functionsScript(client, to)).toBe("");
  });
});
