import { randomUUID } from "node:crypto";
import { createTestSecret } from "@querybell/webhook-test-sender";
import type { Case, Expected, Given, Step, Trait } from "./cases/case.ts";
import { cases } from "./cases/index.ts";
import { delivery } from "./cases/request.ts";
import { type RawRequest, sendRaw } from "./raw-http.ts";
import { ReceivingProgram } from "./receiving-program.ts";
import type { Setup } from "./setups/setup.ts";
import { environmentOf, type Variant, variants } from "./variants.ts";

export interface Outcome {
  passed: number;
  total: number;
  /** A sentence for each case that failed. */
  failures: string[];
}

/** For a program that hangs. */
const caseTimeoutMs = 30_000;

/** Starts each variant of an installed set-up and sends it its cases. */
export async function runCases(setup: Setup, folder: string): Promise<Outcome> {
  const failures: string[] = [];
  for (const variant of variants) failures.push(...(await runVariant(setup, folder, variant)));
  const total = casesOf(setup).length;
  return { passed: total - failures.length, total, failures };
}

const casesOf = ({ traits }: Setup): Case[] =>
  cases.filter(({ without }) => !(without && traits.includes(without.trait)));

async function runVariant(setup: Setup, folder: string, variant: Variant): Promise<string[]> {
  const secrets = { secret: createTestSecret(), newSecret: createTestSecret() };
  const command = setup.start(folder, variant);
  const env = { ...command.env, ...environmentOf(variant, secrets) };
  await using program = await ReceivingProgram.start({ ...command, cwd: folder, env });
  const url = new URL(setup.path?.(variant) ?? "/webhooks", program.url);
  const give = (): Given => ({ ...secrets, unique: randomUUID(), now: Math.floor(Date.now() / 1000) });

  const results = [];
  for (const one of casesOf(setup).filter(({ variant: needed = "written" }) => needed === variant)) {
    const run = new CaseRun({ url, program, traits: setup.traits, given: give() });
    const failure = await withTimeout(run.run(one)).then(
      () => undefined,
      (error) => String(error),
    );
    results.push({ name: one.name, failure, timesHandled: run.timesHandled });
  }

  // The lines are in order: once the line of one more delivery was read, all earlier lines were.
  const last = give();
  const secret = variant === "rotated" ? "newSecret" : "secret";
  await sendRaw(url, delivery({ secret })(last));
  await withTimeout(program.waitForLine({ handled: last.unique }));
  return results.flatMap(({ name, failure, timesHandled }) => {
    const miscounted = [...timesHandled]
      .map(([id, expected]) => ({ id, expected, actual: program.timesHandled(id) }))
      .find(({ expected, actual }) => expected !== actual);
    if (failure) return [`${name}: ${failure}`];
    return miscounted ? [`${name}: handled ${miscounted.actual} times, not ${miscounted.expected}`] : [];
  });
}

interface Target {
  url: URL;
  program: ReceivingProgram;
  traits: Trait[];
  given: Given;
}

class CaseRun {
  /** How often the handler must have succeeded, by the event's id. */
  readonly timesHandled = new Map<string, number>();
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  async run({ steps }: Case): Promise<void> {
    const { given, program } = this.#target;
    const inBackground: Promise<void>[] = [];
    for (const step of steps) {
      const request = step.send(given);
      const answered = this.#exchange(request, step);
      if (step.inBackground) {
        inBackground.push(answered);
        await Promise.race([answered, program.waitForLine({ started: idOf(request) })]);
      } else {
        await answered;
      }
    }
    await Promise.all(inBackground);
  }

  async #exchange(request: RawRequest, step: Step): Promise<void> {
    const expected = this.#expected(step);
    const id = idOf(request);
    const times = this.timesHandled.get(id) ?? 0;
    this.timesHandled.set(id, times + (expected.code === "handled" ? 1 : 0));
    const { status, body } = await sendRaw(this.#target.url, request);
    const code = codeIn(body);
    if (status !== expected.status || (expected.code !== undefined && code !== expected.code))
      throw new Error(
        `${status} ${code ?? body.slice(0, 200)}, not ${expected.status} ${expected.code ?? ""}`,
      );
  }

  #expected({ expect, differs }: Step): Expected {
    return differs && this.#target.traits.includes(differs.trait) ? differs.expect : expect;
  }
}

const idOf = ({ headers }: RawRequest): string =>
  headers.find(([name]) => /^(svc-)?webhook-id$/i.test(name))?.[1] ?? "";

function codeIn(body: string): string | undefined {
  try {
    const { code } = JSON.parse(body);
    return typeof code === "string" ? code : undefined;
  } catch {
    return undefined;
  }
}

async function withTimeout<Value>(work: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("No answer in 30 seconds.")), caseTimeoutMs);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
