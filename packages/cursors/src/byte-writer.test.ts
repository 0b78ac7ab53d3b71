import { expect, test } from "vitest";
import { ByteReader, ByteWriter } from "./byte-writer.ts";

test("numbers below zero cannot be written", () => {
  expect(() => new ByteWriter().number(-1)).toThrow(RangeError);
  expect(new ByteWriter().number(0).toBytes()).toEqual(Uint8Array.of(0));
});

test("numbers up to 127 take one byte", () => {
  expect(new ByteWriter().number(127).toBytes()).toEqual(Uint8Array.of(0x7f));
  expect(new ByteWriter().number(128).toBytes()).toEqual(Uint8Array.of(0x80, 0x01));
});

test("bytes that end too early are not read", () => {
  expect(() => new ByteReader(Uint8Array.of(0x80)).number()).toThrow("in the middle of a number");
  const text = new ByteWriter().text("abc").toBytes();
  expect(new ByteReader(text).text()).toBe("abc");
  expect(() => new ByteReader(text.subarray(0, -1)).text()).toThrow("in the middle of a text");
});
