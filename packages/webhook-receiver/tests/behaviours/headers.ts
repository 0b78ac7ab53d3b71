import assert from "node:assert/strict";
import {
  accepts,
  type Behaviour,
  body,
  clock,
  refusal,
  refuses,
  secret,
  signature,
  signed,
  withHeader,
  without,
} from "./behaviour.ts";

/** Missing, repeated and malformed headers. */
export const headers: Record<string, Behaviour> = {
  "refuses a header that is missing": async (kit) => {
    for (const name of ["svc-webhook-id", "svc-webhook-timestamp", "svc-webhook-signature"]) {
      await refuses("missing_header", () => without(name))(kit);
      await refuses("missing_header", () => ({ headers: new Headers(without(name).headers), body }))(kit);
      await refuses("missing_header", () => ({
        headers: Object.entries(without(name).headers).flat(),
        body,
      }))(kit);
    }
  },
  "refuses a header that is there twice": async (kit) => {
    const { headers } = signed();
    const id = headers["svc-webhook-id"];
    const twice = { ...headers, "svc-webhook-id": [id, id] };
    await refuses("duplicate_header", () => ({ headers: twice, body }))(kit);
    for (const [name, value] of Object.entries(headers)) {
      if (!name.startsWith("svc-")) continue;
      const list = [...Object.entries(headers).flat(), name.toUpperCase(), value];
      await refuses("duplicate_header", () => ({ headers: list, body }))(kit);
      const twoCases = { ...headers, [name.toUpperCase()]: value };
      await refuses("duplicate_header", () => ({ headers: twoCases, body }))(kit);
    }
  },
  "refuses an id or a timestamp that was there twice, where the platform has joined them": async (kit) => {
    for (const name of ["svc-webhook-id", "svc-webhook-timestamp"]) {
      const joined = new Headers(signed().headers);
      joined.append(name, joined.get(name) ?? "");
      await refuses("duplicate_header", () => ({ headers: joined, body }))(kit);
      await refuses("duplicate_header", () => withHeader(name, joined.get(name) ?? ""))(kit);
    }
  },
  "refuses headers that are not there at all": async (kit) => {
    const nowhere = ['{ "headers": null }', '{ "headers": "svc-webhook-id" }', '{ "headers": [null, 5] }'];
    for (const json of ["{}", '"body"', ...nowhere]) {
      await refuses("missing_header", () => JSON.parse(json))(kit);
    }
    const receiver = kit.createReceiver({ secrets: secret, clock });
    assert.match((await refusal(receiver.verify({ headers: {}, body }))).message, /svc-webhook-id/);
  },
  "refuses an id that could blur into the timestamp": refuses("malformed_id", () => signed({ id: "a.1" })),
  "takes other headers for none of its own": accepts(() => withHeader("content-length", "5")),
  "takes an id of 128 characters": async ({ createReceiver }) => {
    const id = "x".repeat(128);
    assert.equal((await createReceiver({ secrets: secret, clock }).verify(signed({ id }))).id, id);
  },
  "refuses an empty or endless id": async (kit) => {
    for (const id of ["", "x".repeat(129), "a b"]) await refuses("malformed_id", () => signed({ id }))(kit);
  },
  "refuses a timestamp that is not a whole number": async (kit) => {
    for (const text of [
      "123junk",
      "1e9",
      "-1",
      "",
      "0x10",
      " 1772366400",
      "1772366400.0",
      "01772366400",
      "1234567890123456",
      "١٧٧٢",
    ]) {
      await refuses("malformed_timestamp", () => withHeader("svc-webhook-timestamp", text))(kit);
    }
    await refuses("timestamp_too_old", () => signed({ timestamp: 5 }))(kit);
    await refuses("timestamp_in_future", () => signed({ timestamp: 123_456_789_012_345 }))(kit);
  },
  "refuses a signature that is not v1 and 64 lower-case digits": async (kit) => {
    const digits = signature().slice(3);
    const upper = `v1=${"AB".repeat(32)}`;
    for (const text of [
      "",
      digits,
      `v1=${digits.slice(1)}`,
      `v1=${digits}0`,
      `xv1=${digits.slice(1)}`,
      `v1=${digits.slice(1)}g`,
      upper,
      `v2=${digits}`,
      `v1,${digits}`,
    ]) {
      await refuses("malformed_signature", () => withHeader("svc-webhook-signature", text))(kit);
    }
  },
  "refuses a signature whose digits only look like the right ones": refuses("malformed_signature", () =>
    withHeader(
      "svc-webhook-signature",
      signature().replace(/\d/, (digit) => String.fromCharCode(digit.charCodeAt(0) + 256)),
    ),
  ),
  "takes several signatures if one matches, and ignores unknown schemes": async (kit) => {
    const wrong = `v1=${"0".repeat(64)}`;
    for (const text of [`${wrong},${signature()}`, `${signature()}, ${wrong}`, `v2=new,${signature()}`]) {
      await accepts(() => withHeader("svc-webhook-signature", text))(kit);
    }
    await refuses("signature_mismatch", () => withHeader("svc-webhook-signature", `${wrong},${wrong}`))(kit);
    await refuses("malformed_signature", () => withHeader("svc-webhook-signature", `${signature()},v1=junk`))(
      kit,
    );
  },
};
