import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { readSettings, refuseUnsafeProduction, sharedSettings } from "./settings.ts";
import { SettingsError } from "./settings-error.ts";

const Settings = z.object(sharedSettings).superRefine(refuseUnsafeProduction);
const complete = {
  DATABASE_URL: "postgresql://localhost/querybell",
  SEALING_KEYS: "k1:secret",
  PUBLIC_URL: "https://querybell.example/",
};

test("defaults are production's, and the address loses its last slash", () => {
  expect(readSettings(Settings, complete)).toMatchObject({
    NODE_ENV: "production",
    REST_COMPATIBILITY: "retired",
    ORGANIZATION_CREATION: "operator",
    PUBLIC_URL: "https://querybell.example",
  });
});

test("all missing or empty settings are named", () => {
  const read = () => readSettings(Settings, { ...complete, SEALING_KEYS: "", PUBLIC_URL: undefined });
  expect(read).toThrow(SettingsError);
  expect(read).toThrow(/SEALING_KEYS is not set\. PUBLIC_URL is not set\./);
});

test("invalid settings are named without their values, which may be secrets", () => {
  const read = () =>
    readSettings(Settings, { ...complete, DATABASE_URL: "hunter2", DATABASE_POOL_SIZE: "many" });
  expect(read).toThrow(/DATABASE_URL must begin with postgresql:\/\/\. DATABASE_POOL_SIZE/);
  expect(read).not.toThrow(/hunter2/);
});

test("an address with an unescaped # in its password is refused without showing it", () => {
  const read = () =>
    readSettings(Settings, { ...complete, DATABASE_URL: "postgresql://u:hun#ter2@localhost:99999/x" });
  expect(read).toThrow(/DATABASE_URL must look like/);
  expect(read).not.toThrow(/hun/);
});

test.each([
  ["http://querybell.example", "production", false],
  ["http://localhost:4000", "production", true],
  ["http://querybell.example", "development", true],
])("the address %s in %s is allowed: %s", (PUBLIC_URL, NODE_ENV, allowed) => {
  const read = () => readSettings(Settings, { ...complete, PUBLIC_URL, NODE_ENV });
  if (allowed) expect(read).not.toThrow();
  else expect(read).toThrow(/PUBLIC_URL must begin with https/);
});

test("webhooks to this machine are for development, and off unless asked for", () => {
  const read = (environment: Record<string, string>) =>
    readSettings(Settings, { ...complete, ...environment });
  expect(read({}).WEBHOOK_ALLOW_LOOPBACK).toBe(false);
  const allowed = { WEBHOOK_ALLOW_LOOPBACK: "1" };
  expect(read({ ...allowed, NODE_ENV: "development" }).WEBHOOK_ALLOW_LOOPBACK).toBe(true);
  expect(() => read({ ...allowed, NODE_ENV: "production" })).toThrow(/must not be 1 in production/);
});

test("secrets are read from files, as container platforms mount them", ({ onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), "querybell-settings-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const { SEALING_KEYS, ...others } = complete;
  const read = (environment: Record<string, string>) => () =>
    readSettings(Settings, { ...others, ...environment });
  const keys = file("keys", `${SEALING_KEYS}\n`);
  expect(read({ SEALING_KEYS_FILE: keys })().SEALING_KEYS).toBe(SEALING_KEYS);
  expect(read({ SEALING_KEYS, SEALING_KEYS_FILE: keys })).toThrow(/are both set/);
  expect(read({ SEALING_KEYS_FILE: file("empty", " \n") })).toThrow(/SEALING_KEYS_FILE names is empty/);
  expect(read({ SEALING_KEYS_FILE: join(folder, "missing") })).toThrow(/cannot be read \(ENOENT\)/);
});
