import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { examples, exampleText } from "./example-text.ts";
import { procedures } from "./procedures.ts";

/** The arguments that a shell would give to curl. */
function argumentsOf(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  return execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
}

test("every command is one that a shell understands, and sends the example's input to its procedure", () => {
  for (const procedure of procedures) {
    const [, command = ""] = /```sh\n(.+?)\n```/s.exec(exampleText(procedure)) ?? [];
    const given = argumentsOf(command);
    expect(given.at(-1)).toBe(`http://localhost:4000/api/trpc/${procedure.path}`);
    const isMutation = procedure.type === "mutation";
    const option = isMutation ? "-d" : "--data-urlencode";
    const sent = given.includes(option) ? given[given.indexOf(option) + 1] : undefined;
    const json = isMutation ? sent : sent?.replace(/^input=/, "");
    expect([procedure.path, json && JSON.parse(json)]).toEqual([
      procedure.path,
      examples[procedure.path]?.input,
    ]);
    const isPost = given.includes("-d") || given.includes("POST");
    expect([procedure.path, isPost]).toEqual([procedure.path, isMutation]);
  }
});
