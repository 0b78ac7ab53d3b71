// Verifications a second: the kit beside bare crypto and three well-known kits, each called as its documentation
// shows, and without parsing where that can be asked for. Stripe's constructEvent always parses; the inner
// function that does not is shown beside it. Everybody gets what a server has: a record of headers and a Buffer.
import { createHmac, createSecretKey, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { createReceiver } from "@querybell/webhook-receiver/node";
import { Webhook as StandardWebhook } from "standardwebhooks";
import Stripe from "stripe";
import { Webhook as SvixWebhook } from "svix";

type Contestant = (() => unknown) | (() => Promise<unknown>);

const sizes = [1024, 64 * 1024];
const rounds = 21;
const roundMs = 60;

const keyBytes = randomBytes(32);
const secret = `whsec_${keyBytes.toString("base64")}`;
const rivals = ["standardwebhooks", "svix", "stripe"];

function contestantsFor(body: Buffer): Record<string, Contestant> {
  const id = randomUUID();
  const now = new Date();
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const digest = createHmac("sha256", keyBytes).update(`${id}.${timestamp}.`).update(body).digest("hex");
  const headers: Record<string, string> = {
    "svc-webhook-id": id,
    "svc-webhook-timestamp": timestamp,
    "svc-webhook-signature": `v1=${digest}`,
  };

  // The key is imported once, which makes bare crypto several times faster than passing its bytes each time.
  const key = createSecretKey(keyBytes);
  const raw = () => {
    const prefix = `${headers["svc-webhook-id"]}.${headers["svc-webhook-timestamp"]}.`;
    const expected = createHmac("sha256", key).update(prefix).update(body).digest();
    const given = Buffer.from(headers["svc-webhook-signature"]?.slice(3) ?? "", "hex");
    if (!timingSafeEqual(expected, given)) throw new Error("The bare verification is wrong.");
  };

  const receiver = createReceiver({ secrets: secret });
  const standard = new StandardWebhook(secret);
  const svix = new SvixWebhook(secret);
  const standardHeaders = {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": standard.sign(id, now, body),
  };
  const { webhooks } = new Stripe("sk_test_bench");
  const stripeHeader = webhooks.generateTestHeaderString({ payload: body.toString(), secret });

  return {
    raw,
    kit: () => receiver.verify({ headers, body }),
    "kit, verifySync": () => receiver.verifySync({ headers, body }),
    standardwebhooks: () => standard.verify(body, standardHeaders, { jsonParse: false }),
    svix: () => svix.verify(body, standardHeaders),
    stripe: () => webhooks.constructEvent(body, stripeHeader, secret),
    "stripe, unparsed": () => webhooks.signature?.verifyHeader(body, stripeHeader, secret),
  };
}

async function rate(contestant: Contestant): Promise<number> {
  const start = performance.now();
  for (let done = 1; ; done++) {
    const answer = contestant();
    if (answer instanceof Promise) await answer;
    const elapsed = performance.now() - start;
    if (elapsed >= roundMs) return (done / elapsed) * 1000;
  }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Rounds take turns, so that whatever else the machine does falls on everybody alike. */
async function ratesFor(body: Buffer): Promise<Map<string, number>> {
  const contestants = Object.entries(contestantsFor(body));
  const rates = new Map<string, number[]>(contestants.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, contestant] of contestants) rates.get(name)?.push(await rate(contestant));
  }
  return new Map(contestants.map(([name]) => [name, median(rates.get(name) ?? [])]));
}

/** An event as the service sends it, with a summary that makes it as long as asked. */
function bodyOf(size: number): Buffer {
  const sentence = 'Revenue of "Café Zürich" rose by 4.2 % to € 18,204.\n';
  const event = (summary: string) =>
    Buffer.from(
      JSON.stringify({
        id: randomUUID(),
        type: "automation.run.completed",
        createdAt: new Date().toISOString(),
        data: {
          automationId: randomUUID(),
          runId: randomUUID(),
          summary,
          chatUrl: "https://a.example/c/1",
          imageUrl: null,
        },
      }),
    );
  const whole = Math.floor((size - event("").length) / (event(sentence).length - event("").length));
  const text = sentence.repeat(whole);
  return event(text + "x".repeat(size - event(text).length));
}

const ratios: number[] = [];
const leads: number[] = [];
for (const size of sizes) {
  const rates = await ratesFor(bodyOf(size));
  const of = (name: string) => rates.get(name) ?? 0;
  console.log(`${size / 1024} KiB, verifications a second`);
  for (const [name, perSecond] of rates) {
    console.log(`  ${name.padEnd(18)}${Math.round(perSecond).toLocaleString("en").padStart(9)}`);
  }
  ratios.push(of("kit") / of("raw"));
  leads.push(of("kit") / Math.max(...rivals.map(of)));
}
console.log(`verify ratio=${Math.min(...ratios).toFixed(2)} best_rival=${Math.min(...leads).toFixed(2)}`);
