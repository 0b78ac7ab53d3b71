import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSealer, deriveSecret, generateKey, parseKeyring, UnsealError } from "./index.ts";

const oldKey = generateKey("k1");
const newKey = generateKey("k2");
const sealer = createSealer(parseKeyring(oldKey));
const base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

describe("sealing", () => {
  test("any bytes come back as they were, for any purpose", () => {
    fc.assert(
      fc.property(fc.string(), fc.uint8Array({ maxLength: 2000 }), (purpose, plain) => {
        expect(new Uint8Array(sealer.open(purpose, sealer.seal(purpose, plain)))).toEqual(plain);
      }),
    );
  });

  test("a change of any character makes a sealed value unopenable", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 100 }),
        fc.nat(),
        fc.stringMatching(/^[\w.=+/-]$/),
        (plain, at, replacement) => {
          const sealed = sealer.seal("test", plain);
          const index = at % sealed.length;
          fc.pre(sealed[index] !== replacement);
          const changed = sealed.slice(0, index) + replacement + sealed.slice(index + 1);
          expect(() => sealer.open("test", changed)).toThrow(UnsealError);
        },
      ),
    );
  });

  test("another spelling of the same bytes is refused", () => {
    // 28 and 29 bytes: the last character of base64url then has bits to spare, which decoding ignores.
    for (const length of [0, 1]) {
      const sealed = sealer.seal("test", Buffer.alloc(length));
      const bytesOf = (text: string) => Buffer.from(text.slice(text.indexOf(".") + 1), "base64url");
      const spellings = [...base64url]
        .map((last) => sealed.slice(0, -1) + last)
        .filter((other) => other !== sealed && bytesOf(other).equals(bytesOf(sealed)));
      expect(spellings.length).toBeGreaterThan(0);
      for (const other of spellings) expect(() => sealer.open("test", other)).toThrow(UnsealError);
    }
  });

  test("a truncated value and any text that was never sealed are refused", () => {
    const sealed = sealer.seal("test", Buffer.from("hello"));
    for (let length = 0; length < sealed.length; length++) {
      expect(() => sealer.open("test", sealed.slice(0, length))).toThrow(UnsealError);
    }
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => sealer.open("test", text)).toThrow(UnsealError);
      }),
    );
  });

  test("a sealed value with anything before or after it is refused", () => {
    const sealed = sealer.seal("test", Buffer.from("hello"));
    for (const added of ["!", " ", "\n", "-."]) {
      expect(() => sealer.open("test", added + sealed)).toThrow(UnsealError);
      expect(() => sealer.open("test", sealed + added)).toThrow(UnsealError);
    }
  });

  test("a refusal names itself, and keeps its cause for the log", () => {
    const sealed = sealer.seal("one purpose", Buffer.from("hello"));
    expect(() => sealer.open("another", sealed)).toThrow(
      expect.objectContaining({ name: "UnsealError", cause: expect.any(Error) }),
    );
  });

  test("a value sealed for one purpose does not open for another", () => {
    const sealed = sealer.seal("organization:1", Buffer.from("password"));
    expect(() => sealer.open("organization:2", sealed)).toThrow(UnsealError);
  });

  test("equal values are sealed differently each time", () => {
    const plain = Buffer.from("hello");
    expect(sealer.seal("test", plain)).not.toBe(sealer.seal("test", plain));
  });
});

describe("rotation", () => {
  const before = sealer.seal("test", Buffer.from("sealed before"));

  test("a new first key seals, and the old one still opens", () => {
    const rotated = createSealer(parseKeyring(`${newKey}, ${oldKey}`));
    expect(Buffer.from(rotated.open("test", before)).toString()).toBe("sealed before");
    expect(rotated.seal("test", Buffer.from("x"))).toMatch(/^k2\./);
  });

  test("without the old key its values are refused", () => {
    const forgetful = createSealer(parseKeyring(newKey));
    expect(() => forgetful.open("test", before)).toThrow(UnsealError);
  });

  test("a value cannot be moved to another key id that has the same secret", () => {
    const secret = oldKey.slice("k1:".length);
    const twins = createSealer(parseKeyring(`${oldKey},k3:${secret}`));
    expect(() => twins.open("test", before.replace(/^k1/, "k3"))).toThrow(UnsealError);
  });
});

describe("a keyring", () => {
  // The titles name no key: keys are random, and a title must be the same in every run.
  test.each<[string, string, RegExp]>([
    ["without a key", "", /empty/],
    ["of white space and commas", " ,\n, ", /empty/],
    ["without a colon", "no-colon", /Key 1 .* not of the form/],
    ["with an id in capitals", "K1:abc", /Key 1 .* not of the form/],
    ["with an id of 17 characters", oldKey.replace("k1", "k".repeat(17)), /Key 1 .* not of the form/],
    ["without an id", oldKey.replace("k1", ""), /Key 1 .* not of the form/],
    ["with a third part", `${oldKey}:more`, /Key 1 .* not of the form/],
    ["with a short second key", `${oldKey} k2:c2hvcnQ=`, /Key 2 .*base64 of 32/],
    ["with a character before a key", oldKey.replace("k1:", "k1:A"), /Key 1 .*base64 of 32/],
    ["with a character after a key", `${oldKey}=`, /Key 1 .*base64 of 32/],
    ["with the same key twice", `${oldKey},${oldKey}`, /twice/],
  ])("%s is refused with the reason", (_title, text, reason) => {
    expect(() => parseKeyring(text)).toThrow(reason);
  });

  test("may have ids of 16 characters, and commas and line breaks between its keys", () => {
    const long = generateKey("k234567890123456");
    expect(parseKeyring(`\n${long},\n ${oldKey},`).map(({ id }) => id)).toEqual(["k234567890123456", "k1"]);
  });

  test("never repeats a secret in its errors", () => {
    expect(() => parseKeyring("hunter2-in-plain-text")).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining("hunter2") }),
    );
  });
});

describe("a derived secret", () => {
  const [key] = parseKeyring(`k1:${Buffer.alloc(32, 7).toString("base64")}`);

  test("is HKDF of the key and the use", () => {
    // Made with Python: HKDF-SHA256, no salt.
    expect(deriveSecret(key, "cookies")).toBe("i0g6m54pv0mGyJEb3dMoOb_EwhpPeEuMysbvM8eIU7s");
  });

  test("is another for each use and each key", () => {
    const [other] = parseKeyring(oldKey);
    const secrets = [deriveSecret(key, "a"), deriveSecret(key, "b"), deriveSecret(other, "a")];
    expect(new Set(secrets).size).toBe(3);
  });
});
