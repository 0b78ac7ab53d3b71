import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { createTestSecret } from "./sender.ts";

export type Line = Record<string, unknown>;

/** A receiving program in a process of its own, and what it says on standard output. */
export class ReceivingProgram {
  readonly secret: string;
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #said: Line[] = [];

  private constructor(
    child: ChildProcess,
    lines: AsyncIterator<string>,
    parts: { secret: string; url: string },
  ) {
    this.#child = child;
    this.#lines = lines;
    this.secret = parts.secret;
    this.url = parts.url;
  }

  static async start(
    args: string[],
    { cwd, secret = createTestSecret() }: { cwd: string; secret?: string },
  ): Promise<ReceivingProgram> {
    const env = { ...process.env, WEBHOOK_SECRET: secret, NEXT_TELEMETRY_DISABLED: "1" };
    const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const complaints: string[] = [];
    child.stderr.on("data", (chunk) => complaints.push(String(chunk)));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`The program ended before it listened:\n${complaints.join("")}`);
      const port = /"port":(\d+)|http:\/\/[\w.]+:(\d+)/.exec(value);
      const url = port && `http://127.0.0.1:${port[1] ?? port[2]}`;
      if (url) return new ReceivingProgram(child, lines, { secret, url });
    }
  }

  /** Waits until the program says a line with these fields. */
  async says(fields: Line): Promise<Line> {
    const wanted = (line: Line) => Object.entries(fields).every(([name, value]) => line[name] === value);
    const before = this.#said.find(wanted);
    if (before) return before;
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done) throw new Error(`The program ended without saying ${JSON.stringify(fields)}.`);
      if (!value.startsWith("{")) continue;
      const line: Line = JSON.parse(value);
      this.#said.push(line);
      if (wanted(line)) return line;
    }
  }

  /** Waits for the next line of this form. */
  async prints(form: RegExp): Promise<string> {
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done) throw new Error(`The program ended without printing ${form}.`);
      if (form.test(value)) return value;
    }
  }

  /** How often it has handled this event, as far as it was heard. */
  timesHandled(id: string): number {
    return this.#said.filter(({ handled }) => handled === id).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill();
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "exit");
  }
}
