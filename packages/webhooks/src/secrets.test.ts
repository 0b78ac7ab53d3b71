import { createReceiver } from "@querybell/webhook-receiver";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSecretText, findSecretFlaw, parseSecret } from "./secrets.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
/** The same 32 bytes for a lenient decoder: the last digit has unused bits that are set. */
const otherSpelling = secret.replace(/c=$/, "d=");

describe("a secret", () => {
  test("that is created is parsed to its 32 bytes", () => {
    const text = createSecretText();
    expect(findSecretFlaw(text)).toBeUndefined();
    const bytes = parseSecret(text).export();
    expect(`whsec_${bytes.toString("base64")}`).toBe(text);
    expect(bytes).toHaveLength(32);
  });

  test.each([
    ["", "empty"],
    [" \n", "empty"],
    [` ${secret}`, "surrounded"],
    [`${secret}\n`, "surrounded"],
    [`"${secret}"`, "surrounded"],
    ["hunter2hunter2hunter2", "no_prefix"],
    [secret.toUpperCase(), "no_prefix"],
    ["whsec_", "too_short"],
    [secret.slice(0, -1), "too_short"],
    [`${secret}=`, "too_long"],
    [secret.replace("H", " "), "not_base64"],
    [secret.replace("H", "-"), "not_base64"],
    [otherSpelling, "not_base64"],
  ])("spelled %j is refused as %s, and not repeated", (text, reason) => {
    const flaw = findSecretFlaw(text);
    expect(flaw?.reason).toBe(reason);
    expect(() => parseSecret(text)).toThrow(
      /^A webhook secret must be whsec_ followed by the base64 of 32 bytes\.$/,
    );
    if (text.length > 6) expect(flaw?.sentence).not.toContain(text.slice(6));
  });

  test("is one for our code exactly if it is one for the receiver kit", () => {
    const kitAccepts = (text: string) => {
      try {
        createReceiver({ secrets: text });
        return true;
      } catch {
        return false;
      }
    };
    const nearSecrets = fc
      .tuple(fc.uint8Array({ minLength: 31, maxLength: 33 }), fc.nat(50), fc.string({ maxLength: 1 }))
      .map(([bytes, at, other]) => {
        const text = `whsec_${Buffer.from(bytes).toString("base64")}`;
        return text.slice(0, at) + other + text.slice(at + 1);
      });
    const accepts = (text: string) => findSecretFlaw(text) === undefined;
    fc.assert(fc.property(nearSecrets, (text) => accepts(text) === kitAccepts(text)));
    for (const text of [createSecretText(), secret, otherSpelling, "", ` ${secret}`, `${secret}\n`]) {
      expect(accepts(text)).toBe(kitAccepts(text));
    }
  });
});
