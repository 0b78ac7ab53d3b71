// Verifications a second: the kit beside bare crypto and three well-known kits, each called as its documentation
// shows, and without parsing where that can be asked for. Stripe's constructEvent always parses; the inner
// function that does not is shown beside it. All get the same input: a record of headers and a Buffer.
import { createHmac, createSecretKey, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { createReceiver } from "@querybell/webhook-receiver/node";
import { Webhook as StandardWebhook } from "standardwebhooks";
import Stripe from "stripe";
import { Webhook as SvixWebhook } from "svix";
import { median, printFigures } from "./measuring/measuring.ts";

type Contestant = (() => unknown) | (() => Promise<unknown>);

const sizes = [1024, 64 * 1024];
const rounds = 60;
const warmUp = 5;
const roundMs = 20;
const batch = 10;

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
  for (let done = batch; ; done += batch) {
    for (let index = 0; index < batch; index++) {
      const answer = contestant();
      if (answer instanceof Promise) await answer;
    }
    const elapsed = performance.now() - start;
    if (elapsed >= roundMs) return (done / elapsed) * 1000;
  }
}

type Rates = Record<string, number>;

/** Rounds are short and alternate, so that other load affects all candidates alike. */
async function measure(body: Buffer): Promise<Rates[]> {
  const contestants = Object.entries(contestantsFor(body));
  const measured: Rates[] = [];
  for (let round = 0; round < rounds; round++) {
    const rates: Rates = {};
    for (const [name, contestant] of contestants) rates[name] = await rate(contestant);
    measured.push(rates);
  }
  return measured.slice(warmUp);
}

/** An event as the service sends it, with a summary of the given length. */
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
  const measured = await measure(bodyOf(size));
  const of = (name: string) => median(measured.map((rates) => rates[name] ?? Number.NaN));
  console.log(`${size / 1024} KiB, verifications a second`);
  for (const name of Object.keys(measured[0] ?? {})) {
    console.log(`  ${name.padEnd(18)}${Math.round(of(name)).toLocaleString("en").padStart(9)}`);
  }
  // Rounds are compared one by one, so that a burst of other load distorts only one comparison.
  ratios.push(median(measured.map(({ kit = Number.NaN, raw = Number.NaN }) => kit / raw)));
  leads.push(of("kit") / Math.max(...rivals.map(of)));
}
printFigures("verify", {
  ratio: Math.min(...ratios).toFixed(2),
  best_rival: Math.min(...leads).toFixed(2),
});
