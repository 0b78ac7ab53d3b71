import { describe, expect, test } from "vitest";
import { createGuard, type Guard } from "./guard.ts";
import { parseNetworks } from "./network.ts";
import { type Policy, publicOnly } from "./policy.ts";
import { type Answer, startNameServer } from "./testing/name-server.ts";

const name = "hooks.example.com";

async function guarding(answer: Answer, policy: Policy = publicOnly) {
  const server = await startNameServer({ [name]: answer });
  let now = Date.parse("2026-01-01T00:00:00Z");
  const clock = { now: () => new Date(now) };
  const guard = createGuard({ policy, clock, servers: [server.address] });
  return {
    guard,
    server,
    pass: (seconds: number) => {
      now += seconds * 1000;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function hostOf(guard: Guard, text = name) {
  const host = guard.parseHost(text);
  if (host.kind !== "host") throw new Error(host.message);
  return host;
}

const refusedAddress = (address: string) => ({
  kind: "refused_address",
  message: expect.stringContaining(`${address} is not a publicly routable address`),
});

const check = (guard: Guard, signal?: AbortSignal) => guard.check(hostOf(guard), signal);

describe("an answer", () => {
  test("with IPv4 and IPv6 addresses is checked whole, IPv4 first", async () => {
    await using world = await guarding({ A: ["8.8.8.8", "1.1.1.1"], AAAA: ["2606:4700::1"] });
    const { guard, server } = world;
    const result = await check(guard);
    expect(result).toMatchObject({ kind: "checked" });
    const addresses = result.kind === "checked" ? result.addresses : [];
    expect([...addresses.slice(0, 2)].sort()).toEqual(["1.1.1.1", "8.8.8.8"]);
    expect(addresses[2]).toBe("2606:4700::1");
    expect(server.questions.sort()).toEqual([`A ${name}`, `AAAA ${name}`]);
  });

  test.each<[string, Answer, string]>([
    ["one private address among public ones", { A: ["8.8.8.8", "10.0.0.1", "1.1.1.1"] }, "10.0.0.1"],
    ["a public A and a loopback AAAA", { A: ["8.8.8.8"], AAAA: ["::1"] }, "::1"],
    ["a mapped IPv4 address as AAAA", { AAAA: ["::ffff:10.0.0.1"] }, "::ffff:10.0.0.1"],
    [
      "a metadata address behind an alias",
      { CNAME: ["a.example", "b.example"], A: ["169.254.169.254"] },
      "169.254.169.254",
    ],
  ])("with %s is refused whole", async (_case, answer, address) => {
    await using world = await guarding(answer);
    const { guard } = world;
    expect(await check(guard)).toMatchObject(refusedAddress(address));
    expect(guard.findChecked(hostOf(guard))).toBeUndefined();
  });

  test("at the end of a chain of aliases is followed", async () => {
    await using world = await guarding({ CNAME: ["a.example", "b.example"], A: ["8.8.8.8"] });
    expect(await check(world.guard)).toMatchObject({ kind: "checked", addresses: ["8.8.8.8"] });
  });

  test("of one family is enough when the other's is a failure", async () => {
    await using world = await guarding({ A: ["8.8.8.8"], AAAA: "server failure" });
    expect(await check(world.guard)).toMatchObject({ kind: "checked", addresses: ["8.8.8.8"] });
  });

  test("of IPv6 only is enough", async () => {
    await using world = await guarding({ AAAA: ["2606:4700::1"] });
    expect(await check(world.guard)).toMatchObject({ kind: "checked", addresses: ["2606:4700::1"] });
  });

  test.each<[Answer, RegExp]>([
    ["no such name", /no host named hooks\.example\.com/],
    [{}, /has no address/],
    ["server failure", /gave no answer .*ESERVFAIL/],
    [{ AAAA: "server failure" }, /gave no answer .*ESERVFAIL/],
    [{ A: "no such name", AAAA: "server failure" }, /gave no answer .*ESERVFAIL/],
  ])("of %j is a dns failure that says so", async (answer, message) => {
    await using world = await guarding(answer);
    expect(await check(world.guard)).toEqual({ kind: "dns", message: expect.stringMatching(message) });
  });

  test("may be in a network that the operator opened, beside public ones", async () => {
    const policy = { allowLoopback: false, allowNetworks: parseNetworks("10.1.0.0/16") };
    await using world = await guarding({ A: ["8.8.8.8", "10.1.2.3"] }, policy);
    expect((await check(world.guard)).kind).toBe("checked");
  });
});

describe("a checked answer", () => {
  test("is used for 30 seconds and not a moment longer", async () => {
    await using world = await guarding({ A: ["8.8.8.8"] });
    const { guard, server, pass } = world;
    await check(guard);
    pass(29.999);
    expect(guard.findChecked(hostOf(guard))).toMatchObject({ addresses: ["8.8.8.8"] });
    await check(guard);
    expect(server.questions).toHaveLength(2);
    pass(0.001);
    expect(guard.findChecked(hostOf(guard))).toBeUndefined();
    server.set(name, { A: ["127.0.0.1"] });
    expect(await check(guard)).toMatchObject(refusedAddress("127.0.0.1"));
  });

  test("is not used longer because the clock was set back", async () => {
    await using world = await guarding({ A: ["8.8.8.8"] });
    await check(world.guard);
    world.pass(-3600);
    expect(world.guard.findChecked(hostOf(world.guard))).toBeUndefined();
  });

  test("serves all callers who asked for the name at the same time", async () => {
    await using world = await guarding({ A: ["8.8.8.8"] });
    const results = await Promise.all(Array.from({ length: 20 }, () => check(world.guard)));
    expect(new Set(results).size).toBe(1);
    expect(world.server.questions).toHaveLength(2);
  });

  test("makes room for newer ones when very many are kept", async () => {
    await using world = await guarding({});
    const { guard } = world;
    const hosts = Array.from({ length: 10_001 }, (_, n) => hostOf(guard, `8.8.${n >> 8}.${n & 0xff}`));
    for (const host of hosts) await guard.check(host);
    const kept = hosts.filter((host) => guard.findChecked(host));
    expect(kept).toEqual(hosts.slice(1));
  });

  test("that was checked again is newer than those that were not", async () => {
    await using world = await guarding({});
    const { guard } = world;
    const [again, once, ...others] = Array.from({ length: 10_001 }, (_, n) =>
      hostOf(guard, `8.8.${n >> 8}.${n & 0xff}`),
    );
    if (!again || !once) throw new Error("There are no hosts.");
    await guard.check(again);
    world.pass(29);
    await guard.check(once);
    world.pass(1);
    for (const host of [again, ...others]) await guard.check(host);
    expect(guard.findChecked(again)).toBeDefined();
    expect(guard.findChecked(once)).toBeUndefined();
  });

  test("is not kept when it is a failure", async () => {
    await using world = await guarding("no such name");
    await check(world.guard);
    world.server.set(name, { A: ["8.8.8.8"] });
    expect((await check(world.guard)).kind).toBe("checked");
  });
});

describe("a lookup that hangs", () => {
  test("ends for the caller who aborts it, and continues for the others", async () => {
    await using world = await guarding("silence");
    const { guard, server } = world;
    const [impatient, patient] = [new AbortController(), new AbortController()];
    const asked = server.nextQuestion();
    const first = check(guard, impatient.signal);
    const second = check(guard, patient.signal);
    await asked;
    impatient.abort(new Error("deadline"));
    await expect(first).rejects.toThrow("deadline");
    server.set(name, { A: ["8.8.8.8"] });
    expect(await second).toMatchObject({ addresses: ["8.8.8.8"] });
  });

  test("continues for a caller who waits without a limit, whoever aborts", async () => {
    await using world = await guarding("silence");
    const { guard, server } = world;
    const [impatient, other] = [new AbortController(), new AbortController()];
    const patient = check(guard);
    const first = check(guard, impatient.signal);
    const second = check(guard, other.signal);
    impatient.abort(new Error("deadline"));
    await expect(first).rejects.toThrow("deadline");
    server.set(name, { A: ["8.8.8.8"] });
    expect(await patient).toMatchObject({ addresses: ["8.8.8.8"] });
    expect(await second).toBe(await patient);
  });

  test("is given up after each question was asked twice", async () => {
    await using world = await guarding("silence");
    expect(await check(world.guard)).toEqual({
      kind: "dns",
      message: expect.stringMatching(/gave no answer .*ETIMEOUT/),
    });
    expect(world.server.questions).toHaveLength(4);
  });

  /** Starts a lookup of the silent name, and aborts it once the question has arrived. */
  async function lookUpAndAbort({ guard, server }: Awaited<ReturnType<typeof guarding>>) {
    const caller = new AbortController();
    const asked = server.nextQuestion();
    const hanging = check(guard, caller.signal);
    await asked;
    caller.abort(new Error("deadline"));
    await expect(hanging).rejects.toThrow("deadline");
  }

  test("is cancelled with its last caller, so that the next one starts a new one", async () => {
    await using world = await guarding("silence");
    await lookUpAndAbort(world);
    world.server.set(name, { A: ["8.8.8.8"] });
    expect(await check(world.guard)).toMatchObject({ addresses: ["8.8.8.8"] });
    expect(world.server.questions).toHaveLength(4);
  });

  test("is over when it is cancelled: a late answer is not cached", async () => {
    await using world = await guarding("silence");
    await lookUpAndAbort(world);
    world.server.set(name, { A: ["8.8.8.8"] });
    // After a later question is answered, the late answer has arrived too.
    await world.guard.check(hostOf(world.guard, "other.example.com"));
    expect(world.guard.findChecked(hostOf(world.guard))).toBeUndefined();
  });

  test("leaves a newer one of the same name alone when it is cancelled", async () => {
    await using world = await guarding("silence");
    const { guard, server } = world;
    const caller = new AbortController();
    const cancelled = check(guard, caller.signal);
    caller.abort(new Error("deadline"));
    const newer = check(guard);
    await expect(cancelled).rejects.toThrow("deadline");
    // When this one is answered, the cancelled one has ended.
    await guard.check(hostOf(guard, "other.example.com"));
    const sharing = check(guard);
    server.set(name, { A: ["8.8.8.8"] });
    expect(await newer).toBe(await sharing);
  });

  test("is not cancelled by a caller of an earlier one, who aborts after its answer", async () => {
    await using world = await guarding({ A: ["8.8.8.8"] });
    const { guard, server, pass } = world;
    const caller = new AbortController();
    await check(guard, caller.signal);
    pass(30);
    server.set(name, "silence");
    const newer = check(guard);
    caller.abort();
    const sharing = check(guard);
    server.set(name, { A: ["1.1.1.1"] });
    expect(await newer).toBe(await sharing);
  });

  test("is not started for a caller who has already aborted", async () => {
    await using world = await guarding({ A: ["8.8.8.8"] });
    await expect(check(world.guard, AbortSignal.abort(new Error("too late")))).rejects.toThrow("too late");
    expect(world.server.questions).toEqual([]);
  });
});

describe("no name server is asked", () => {
  test("for an address", async () => {
    await using world = await guarding({});
    const { guard, server } = world;
    expect(await guard.check(hostOf(guard, "8.8.8.8"))).toMatchObject({ addresses: ["8.8.8.8"] });
    expect(server.questions).toEqual([]);
  });

  test("for localhost, which is always this machine", async () => {
    await using world = await guarding({}, { allowLoopback: true, allowNetworks: [] });
    const { guard, server } = world;
    expect(await guard.check(hostOf(guard, "localhost"))).toMatchObject({ addresses: ["127.0.0.1", "::1"] });
    expect(server.questions).toEqual([]);
  });

  test("for a host whose address another policy had allowed", async () => {
    await using lenient = await guarding({}, { allowLoopback: true, allowNetworks: [] });
    await using strict = await guarding({});
    const host = hostOf(lenient.guard, "127.0.0.1");
    expect((await strict.guard.check(host)).kind).toBe("refused_address");
  });
});

test("a URL is parsed by the policy of the guard", async () => {
  await using world = await guarding({}, { allowLoopback: true, allowNetworks: [] });
  expect(world.guard.parseTarget("http://127.0.0.1:3000/hook")).toMatchObject({ kind: "target", port: 3000 });
});

test("without its own name servers, a guard asks those of the machine", async () => {
  const guard = createGuard({ policy: publicOnly, clock: { now: () => new Date() } });
  // Node's resolver answers by itself that no such name exists, and sends nothing.
  expect(await guard.check(hostOf(guard, "hooks.onion"))).toEqual({
    kind: "dns",
    message: "There is no host named hooks.onion.",
  });
});
