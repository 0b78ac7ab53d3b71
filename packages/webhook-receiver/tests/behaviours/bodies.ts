import assert from "node:assert/strict";
import {
  accepts,
  type Behaviour,
  body,
  clock,
  fetchRequest,
  refusal,
  refuses,
  secret,
  signed,
} from "./behaviour.ts";

/** Bodies that are parsed, read already, too large, incomplete or not UTF-8. */
export const bodies: Record<string, Behaviour> = {
  "refuses a Request whose body somebody else is reading": refuses("body_not_raw", () => {
    const request = fetchRequest({ ...signed(), body });
    request.body?.getReader();
    return request;
  }),
  "says what to pass where there is no body at all": async ({ createReceiver }) => {
    const unread = JSON.parse(JSON.stringify({ headers: signed().headers }));
    const { code, hint } = await refusal(createReceiver({ secrets: secret, clock }).verify(unread));
    assert.equal(code, "body_not_raw");
    assert.match(hint, /pass \{ headers, body \}/);
  },
  "refuses a body that was parsed, and does not say that there is none": async ({ createReceiver }) => {
    const parsed = { ...signed(), body: JSON.parse(body) };
    const { code, hint } = await refusal(createReceiver({ secrets: secret, clock }).verify(parsed));
    assert.equal(code, "body_not_raw");
    assert.doesNotMatch(hint, /There is no body/);
  },
  "refuses a Request whose body was read": async ({ createReceiver }) => {
    const request = fetchRequest({ ...signed(), body });
    await request.text();
    assert.equal(
      (await refusal(createReceiver({ secrets: secret, clock }).verify(request))).code,
      "body_not_raw",
    );
  },
  "verifies a Request without a body": async ({ createReceiver }) => {
    const init = { method: "POST", headers: signed({ body: "" }).headers };
    const receiver = createReceiver({ secrets: secret, clock });
    assert.equal((await receiver.verify(new Request("http://localhost/", init))).body.length, 0);
  },
  "refuses a Request whose body breaks off": refuses("body_incomplete", () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) });
    const init = { method: "POST", headers: signed().headers, body, duplex: "half" } as const;
    return new Request("http://localhost/", init);
  }),
  "refuses a body over the limit": async (kit) => {
    const maxBodyBytes = new TextEncoder().encode(body).length;
    await accepts(signed, { maxBodyBytes })(kit);
    await accepts(() => fetchRequest({ ...signed(), body }), { maxBodyBytes })(kit);
    await refuses("body_too_large", signed, { maxBodyBytes: maxBodyBytes - 1 })(kit);
    await refuses("body_too_large", () => fetchRequest({ ...signed(), body }), {
      maxBodyBytes: maxBodyBytes - 1,
    })(kit);
    const small = kit.createReceiver({ secrets: secret, clock, maxBodyBytes: 1 });
    assert.match((await refusal(small.verify(signed()))).hint, /^Raise it/);
  },
  "reads no more of a body than shows that it is too large": async ({ createReceiver }) => {
    let pulled = 0;
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(100).fill(pulled++)),
    });
    const init = { method: "POST", headers: signed().headers, body: endless, duplex: "half" } as const;
    const receiver = createReceiver({ secrets: secret, clock, maxBodyBytes: 1000 });
    const { code } = await refusal(receiver.verify(new Request("http://localhost/", init)));
    assert.equal(code, "body_too_large");
    assert.ok(pulled < 20);
  },
  "verifies an empty body, and one that is not UTF-8": async ({ createReceiver }) => {
    const receiver = createReceiver({ secrets: secret, clock });
    for (const bytes of [new Uint8Array(), new Uint8Array([0xff, 0xfe, 0x80])]) {
      assert.deepEqual(new Uint8Array((await receiver.verify(signed({ body: bytes }))).body), bytes);
      assert.deepEqual(
        (await receiver.verify(fetchRequest({ ...signed({ body: bytes }), body: bytes }))).body,
        bytes,
      );
    }
  },
};
