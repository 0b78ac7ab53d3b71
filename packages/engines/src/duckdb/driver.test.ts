import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { type Node, parseSync, Visitor } from "oxc-parser";
import { expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "../../../..");
const isTest = (path: string) => /\.test\.tsx?$|(?:^|\/)(?:testing|generated|testkit)(?:\/|$)/.test(path);

const sources = globSync("{apps/*,packages/*,prisma}/src/**/*.{ts,tsx,mts}", { cwd: repository })
  .filter((path) => !isTest(path))
  .map((path) => ({ path, text: readFileSync(join(repository, path), "utf8") }));
const driverModule = "packages/engines/src/duckdb/driver.ts";
const textOf = (path: string) => sources.find((source) => source.path === path)?.text ?? "";

const driverFolder = dirname(createRequire(import.meta.url).resolve("@duckdb/node-api/lib/index.js"));

/** The classes of the driver that have a method with a text of SQL, and these methods, from its type declarations. */
function findTextMethods(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of globSync("*.d.ts", { cwd: driverFolder })) {
    visit(readFileSync(join(driverFolder, file), "utf8"), {
      ClassDeclaration({ id, body }) {
        const methods = body.body.flatMap((member) =>
          member.type === "MethodDefinition" &&
          member.key.type === "Identifier" &&
          member.value.params.some((parameter) => isText(parameter))
            ? [member.key.name]
            : [],
        );
        if (methods.length > 0) found.set(id?.name ?? "", methods);
      },
    });
  }
  return found;
}

const isText = (parameter: Node): boolean =>
  parameter.type === "Identifier" && (parameter.name === "sql" || parameter.name === "query");

function visit(text: string, visitor: ConstructorParameters<typeof Visitor>[0]): void {
  new Visitor(visitor).visit(parseSync("source.ts", text).program);
}

/** What a file imports from the driver: the name and the module. */
function importsOfDriver(text: string): string[] {
  if (!text.includes("@duckdb/")) return [];
  const found: string[] = [];
  const isDriver = (node: Node) =>
    node.type === "Literal" && typeof node.value === "string" && node.value.startsWith("@duckdb/");
  visit(text, {
    ImportDeclaration({ source, specifiers }) {
      if (!isDriver(source)) return;
      for (const specifier of specifiers) {
        const name =
          specifier.type === "ImportSpecifier" && specifier.imported.type === "Identifier"
            ? specifier.imported.name
            : "everything";
        found.push(source.value === "@duckdb/node-api" ? name : `${name} of ${source.value}`);
      }
      if (specifiers.length === 0) found.push(`everything of ${source.value}`);
    },
    // import(…) and export … from
    ImportExpression({ source }) {
      if (isDriver(source)) found.push("everything");
    },
    ExportAllDeclaration({ source }) {
      if (isDriver(source)) found.push("everything");
    },
    ExportNamedDeclaration({ source }) {
      if (source && isDriver(source)) found.push("everything");
    },
  });
  return found;
}

const textMethods = findTextMethods();

test("the driver takes SQL in the methods of connections only", () => {
  expect([...textMethods.keys()]).toEqual(["DuckDBConnection"]);
  expect(textMethods.get("DuckDBConnection")).toEqual(
    expect.arrayContaining(["run", "runAndReadAll", "stream", "start", "prepare", "extractStatements"]),
  );
});

test("no other module of the product has a connection of the driver, or a way to make one", () => {
  const importing = sources
    .map(({ path, text }) => ({ path, names: importsOfDriver(text) }))
    .filter(({ names }) => names.length > 0);
  expect(importing.map(({ path }) => path)).toContain(driverModule);
  const reading = /^(?:DuckDB\w*(?:Value|Vector|Type|TypeId|DataChunk)|DuckDBResult)$/;
  for (const { path, names } of importing) {
    if (path === driverModule) continue;
    expect
      .soft(
        names.filter((name) => !reading.test(name)),
        `${path} hands text to DuckDB past validation: use ${driverModule}`,
      )
      .toEqual([]);
  }
});

test("every use of the driver's connection is known, and those that take SQL get our own or a validated statement", () => {
  const text = textOf(driverModule);
  const uses = [...text.matchAll(/this\.#(?:connection|instance)\b(.*);/g)].map(([, use = ""]) => use.trim());
  const methods = textMethods.get("DuckDBConnection") ?? [];
  const takesText = (use: string) => methods.some((name) => use.startsWith(`.${name}(`));
  expect(uses.filter(takesText)).toEqual([
    ".run(sql.text, values)",
    ".runAndReadAll(sql.text, values)",
    ".extractStatements(statement.text)",
  ]);
  expect(uses.filter((use) => !takesText(use))).toEqual([
    "= instance",
    ".connect())",
    ".closeSync()",
    "= connection",
    ".interrupt()",
    ".closeSync()",
  ]);
  const parameters: string[] = [];
  visit(text, {
    MethodDefinition({ key, value: { params } }) {
      if (key.type !== "Identifier" || !/^(?:run|runAndReadAll|stream)$/.test(key.name)) return;
      parameters.push(text.slice(params[0]?.start, params[0]?.end));
    },
  });
  expect(parameters).toEqual(["sql: TrustedSql", "sql: TrustedSql", "statement: ValidatedStatement"]);
});

test("trusted SQL is written in templates", () => {
  for (const { path, text } of sources) {
    if (!text.includes("/trusted-sql.ts") || path.endsWith("/trusted-sql.ts")) continue;
    visit(text, {
      CallExpression({ callee, start, end }) {
        if (callee.type !== "Identifier" || callee.name !== "sql") return;
        expect.soft(text.slice(start, end), `${path} calls sql() instead of using it as a tag`).toBe("");
      },
    });
  }
});
