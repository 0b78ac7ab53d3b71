import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

/** Prints an answer for each line of the file that the command names: `pnpm <command> <file.jsonl>`. */
export async function answerLines(command: string, answer: (line: string) => object): Promise<void> {
  const [file, second] = process.argv.slice(2);
  if (file === undefined || second !== undefined) {
    console.error(`Name one file: pnpm ${command} <file.jsonl>`);
    process.exitCode = 2;
    return;
  }
  try {
    let number = 0;
    for await (const line of createInterface({
      input: createReadStream(file),
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      number++;
      if (line.trim() === "") continue;
      console.log(JSON.stringify({ line: number, ...answer(line) }));
    }
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    console.error(`The file ${file} cannot be read: ${reason}.`);
    process.exitCode = 2;
  }
}
