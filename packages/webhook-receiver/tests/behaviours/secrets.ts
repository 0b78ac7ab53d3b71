import assert from "node:assert/strict";
import type * as Kit from "../../src/index.web.ts";
import { accepts, at, type Behaviour, clock, other, refuses, secret, signed } from "./behaviour.ts";

/** Secrets and other settings of a receiver. */
export const secrets: Record<string, Behaviour> = {
  "refuses a delivery signed with another secret": refuses("signature_mismatch", () =>
    signed({ secret: other }),
  ),
  "says which of several secrets matched": async ({ createReceiver }) => {
    const secrets = [
      { secret: other, label: "new" },
      { secret, label: "old" },
    ];
    const delivery = await createReceiver({ secrets, clock }).verify(signed());
    assert.equal(delivery.secretLabel, "old");
  },
  "refuses a secret from the moment it expires": async (kit) => {
    const expiring = (ms: number) => ({ secrets: [{ secret, expiresAt: new Date(at * 1000 + ms) }, other] });
    await accepts(signed, expiring(1))(kit);
    await refuses("signature_mismatch", signed, expiring(0))(kit);
  },
  "refuses a secret in the wrong form, and never repeats it": ({ createReceiver }) => {
    const wrong = [
      "",
      undefined,
      [],
      ` ${secret}`,
      `${secret}\n`,
      secret.slice(6),
      secret.slice(0, -2),
      `${secret}A`,
      `whsec_A${secret.slice(6)}`,
      `xxxxx_${secret.slice(6)}`,
      "hunter2hunter2",
    ];
    for (const secrets of wrong) {
      assert.throws(
        () => createReceiver({ secrets }),
        (error: Kit.WebhookError) =>
          error.code === "malformed_secret" &&
          !error.message.includes(secret.slice(6, 20)) &&
          !error.message.includes("hunter2"),
      );
    }
    assert.throws(() => createReceiver({ secrets: undefined }), /is not set/);
    assert.throws(() => createReceiver({ secrets: `${secret}\n` }), /has white space/);
  },
  "refuses settings that are not what they should be, as read from JSON or the environment": ({
    createReceiver,
  }) => {
    const wrongSecrets = [
      { secret, expiresAt: new Date("soon") },
      ...JSON.parse(
        `[null, [null], 5, { "secret": 5 }, { "secret": "${secret}", "expiresAt": "2099-01-01" }]`,
      ),
      ...JSON.parse(`[{ "secret": "${secret}", "expiresAt": null }]`),
    ];
    for (const secrets of wrongSecrets) {
      assert.throws(
        () => createReceiver({ secrets }),
        (error: Kit.WebhookError) => error.code === "malformed_secret",
      );
    }
    for (const number of [Number.NaN, -1, Number.POSITIVE_INFINITY, JSON.parse('"300"')]) {
      assert.throws(() => createReceiver({ secrets: secret, toleranceSeconds: number }), RangeError);
      assert.throws(() => createReceiver({ secrets: secret, maxBodyBytes: number }), RangeError);
    }
  },
  "an error of the same name is none of ours": ({ WebhookError }) => {
    const impostor = Object.assign(new Error("text"), {
      name: "WebhookError",
      code: "malformed_id",
      hint: "",
    });
    assert.equal(impostor instanceof WebhookError, false);
    assert.equal(new WebhookError("malformed_id", "text") instanceof WebhookError, true);
  },
};
