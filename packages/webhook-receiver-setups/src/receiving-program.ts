import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export type Line = Record<string, unknown>;

export interface Command {
  program: string;
  args: string[];
  cwd: string;
  env?: Record<string, string>;
}

/** A receiving program in a child process, and the JSON lines that it reports on standard output. */
export class ReceivingProgram {
  readonly url: string;
  /** The lines that were read so far. */
  readonly reported: Line[] = [];
  readonly #child: ChildProcess;
  readonly #output: AsyncIterator<string>;

  private constructor(child: ChildProcess, lines: AsyncIterator<string>, url: string) {
    this.#child = child;
    this.#output = lines;
    this.url = url;
  }

  /** Starts it, and waits until it prints its port or its address. */
  static async start({ program, args, cwd, env = {} }: Command): Promise<ReceivingProgram> {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const killAtExit = () => child.kill("SIGKILL");
    process.once("exit", killAtExit);
    child.once("exit", () => process.removeListener("exit", killAtExit));
    const errorOutput: string[] = [];
    child.stderr.on("data", (chunk) => errorOutput.push(String(chunk)));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`The program ended before it listened:\n${errorOutput.join("")}`);
      const port = /"port":(\d+)|http:\/\/[\w.]+:(\d+)/.exec(value);
      if (port) return new ReceivingProgram(child, lines, `http://127.0.0.1:${port[1] ?? port[2]}`);
    }
  }

  /** Waits until the program reports a line with these fields. */
  async waitForLine(fields: Line): Promise<Line> {
    const isWanted = (line: Line) => Object.entries(fields).every(([name, value]) => line[name] === value);
    const before = this.reported.find(isWanted);
    if (before) return before;
    for (;;) {
      const { value, done } = await this.#output.next();
      if (done) throw new Error(`The program ended without reporting ${JSON.stringify(fields)}.`);
      if (!value.startsWith("{")) continue;
      const line: Line = JSON.parse(value);
      this.reported.push(line);
      if (isWanted(line)) return line;
    }
  }

  /** Waits for the next output line that matches. */
  async waitForText(form: RegExp): Promise<string> {
    for (;;) {
      const { value, done } = await this.#output.next();
      if (done) throw new Error(`The program ended without printing ${form}.`);
      if (form.test(value)) return value;
    }
  }

  /** How often it has handled this event, by the lines that were read so far. */
  timesHandled(id: string): number {
    return this.reported.filter(({ handled }) => handled === id).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Killed, because some programs would wait for a request whose body never ends.
    this.#child.kill("SIGKILL");
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "exit");
  }
}
