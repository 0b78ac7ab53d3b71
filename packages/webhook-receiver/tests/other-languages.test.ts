import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import vectors from "../vectors.json" with { type: "json" };

const docs = readFileSync(join(import.meta.dirname, "../../../docs/webhooks.md"), "utf8");

/** A receiver in docs/webhooks.md, and how the harness beside this test runs it on cases that are in a file. */
interface Language {
  name: string;
  /** The language of the code block. */
  fence: string;
  file: string;
  /** Files of `other-languages` that are put beside the receiver. */
  harness: string[];
  /** A command that fails where the language is not installed. */
  version: [program: string, ...args: string[]];
  commands: (now: string, cases: string) => [program: string, ...args: string[]][];
}

const languages: Language[] = [
  {
    name: "Python",
    fence: "python",
    file: "receiver.py",
    harness: ["harness.py"],
    version: ["python3", "--version"],
    commands: (now, cases) => [["python3", "harness.py", now, cases]],
  },
  {
    name: "Go",
    fence: "go",
    file: "receiver.go",
    harness: ["harness_test.go"],
    version: ["go", "version"],
    commands: () => [
      ["go", "mod", "init", "receiver"],
      ["go", "test", "-v", "."],
    ],
  },
  {
    name: "Java",
    fence: "java",
    file: "Receiver.java",
    harness: ["Harness.java"],
    version: ["javac", "--version"],
    commands: (now, cases) => [
      ["javac", "Receiver.java", "Harness.java"],
      ["java", "Harness", now, cases],
    ],
  },
  {
    name: "Ruby",
    fence: "ruby",
    file: "receiver.rb",
    harness: ["harness.rb"],
    version: ["ruby", "--version"],
    commands: (now, cases) => [["ruby", "harness.rb", now, cases]],
  },
  {
    name: "PHP",
    fence: "php",
    file: "receiver.php",
    harness: ["harness.php"],
    version: ["php", "--version"],
    commands: (now, cases) => [["php", "harness.php", now, cases]],
  },
  {
    name: "C#",
    fence: "csharp",
    file: "Receiver.cs",
    harness: ["Harness.cs", "harness.csproj"],
    version: ["dotnet", "--version"],
    commands: (now, cases) => [["dotnet", "run", "--", now, cases]],
  },
];

const encode = (text: string) => Buffer.from(text).toString("base64");

/** One line for each vector: secrets, the values of each header, and the body, separated by tabs. */
const lines = vectors.cases.map(({ headers, bodyBase64, ...vector }) => {
  const values: Record<string, string | string[] | undefined> = headers;
  const header = (name: string) => [values[`svc-webhook-${name}`] ?? []].flat().map(encode).join(",");
  const secrets = "secrets" in vector && vector.secrets ? vector.secrets : [vectors.secret];
  return [secrets.join(","), header("id"), header("timestamp"), header("signature"), bodyBase64].join("\t");
});

const isInstalled = ([program, ...args]: Language["version"]): boolean => {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

describe.each(languages)("the receiver in $name of docs/webhooks.md", (language) => {
  const [, code = ""] = new RegExp(`^\`\`\`${language.fence}\\n(.*?)^\`\`\``, "ms").exec(docs) ?? [];

  test("has at most 50 lines, without imports and empty lines", () => {
    const isCode = (line: string) =>
      line.trim() !== "" && !/^(import|from|using|require)\b|^\t"|^\)$/.test(line);
    const count = code.split("\n").filter(isCode).length;
    expect(count).toBeGreaterThan(20);
    expect(count).toBeLessThanOrEqual(50);
  });

  test("judges every vector as promised", ({ skip }) => {
    skip(!isInstalled(language.version), `${language.version[0]} is not installed.`);
    const folder = mkdtempSync(join(tmpdir(), "querybell-receiver-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, language.file), code);
    for (const file of language.harness)
      cpSync(join(import.meta.dirname, "other-languages", file), join(folder, file));
    const cases = join(folder, "cases");
    writeFileSync(cases, `${lines.join("\n")}\n`);
    const now = String(vectors.now);
    const env = { ...process.env, NOW: now, CASES: cases, GOTOOLCHAIN: "local", GOFLAGS: "-mod=mod" };
    const outputs = language
      .commands(now, cases)
      .map(([program, ...args]) =>
        execFileSync(program, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] }).toString(),
      );
    const verdicts = outputs.join("").match(/^(true|false)$/gm) ?? [];
    expect(vectors.cases.map(({ name }, index) => [name, verdicts[index]])).toEqual(
      vectors.cases.map(({ name, expect: expected }) => [name, String(expected === "ok")]),
    );
  });
});
