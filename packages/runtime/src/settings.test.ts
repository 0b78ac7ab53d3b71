import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SettingsError } from "@querybell/domain";
import { readSettings } from "@querybell/process";
import { expect, test } from "vitest";
import { z } from "zod";
import { refuseUnsafeProduction, sharedSettings } from "./settings.ts";

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

test("a list of hosts is refused, and a comma in a password is not", () => {
  const read = (DATABASE_URL: string) => readSettings(Settings, { ...complete, DATABASE_URL });
  for (const hosts of ["one:5432,two:5432", "one,two"]) {
    expect(() => read(`postgresql://u:p@${hosts}/x`)).toThrow(/DATABASE_URL must name one host/);
  }
  expect(read("postgresql://u:a,b@one:5432/x").DATABASE_URL).toContain("@one");
});

test("an address with an unescaped # in its password is refused without showing it", () => {
  const read = () =>
    readSettings(Settings, { ...complete, DATABASE_URL: "postgresql://u:hun#ter2@localhost:99999/x" });
  expect(read).toThrow(/DATABASE_URL must look like/);
  expect(read).not.toThrow(/hun/);
});

test.each([
  ["foo", "must be an http or https address"],
  ["ftp://querybell.example", "must be an http or https address"],
  ["https://querybell.example/app", "must not have a path:"],
  ["https://querybell.example?a=1#b", "must not have a query or a fragment:"],
  ["https://me:hunter2@querybell.example", "must not have a user or password:"],
])("the address %s is refused with the reason", (PUBLIC_URL, reason) => {
  const read = () => readSettings(Settings, { ...complete, PUBLIC_URL });
  expect(read).toThrow(SettingsError);
  expect(read).toThrow(`PUBLIC_URL ${reason}`);
  expect(read).not.toThrow(/hunter2/);
});

test.each([
  ["QUERY_RUN_RETENTION_DAY", "QUERY_RUN_RETENTION_DAYS", "7"],
  ["LOG_LEVLE", "LOG_LEVEL", "warn"],
  ["metrics_token", "METRICS_TOKEN", "sixteen characters"],
])("%s is taken for a misspelled %s, and left alone if that is set too", (name, meant, value) => {
  const read = (more = {}) => readSettings(Settings, { ...complete, [name]: value, ...more });
  expect(read).toThrow(SettingsError);
  expect(read).toThrow(`There is no setting ${name}. Did you mean ${meant}?`);
  expect(() => read({ [meant]: value })).not.toThrow();
});

test("a misspelled name of a file is found too, also where the setting itself is missing", () => {
  const read = () => readSettings(Settings, { ...complete, SEALING_KEYS: "", SEALING_KEY_FILE: "/run/key" });
  expect(read).toThrow(
    "There is no setting SEALING_KEY_FILE. Did you mean SEALING_KEYS_FILE? SEALING_KEYS is not set.",
  );
});

test("variables of other programs are left alone", () => {
  const foreign = {
    PATH: "/bin",
    HOME: "/root",
    HOSTNAME: "a",
    HOSTS: "a",
    PORTS: "1",
    SORT: "1",
    NODE_OPTIONS: "",
    NODE_PATH: "/x",
    DATABASE_USER: "me",
    POSTGRES_URL: "x",
    LOG_FORMAT: "x",
    OTEL_TRACES_SAMPLER: "x",
    OTEL_EXPORTER_OTLP_HEADERS: "x",
    SMTP_HOST: "x",
    MAIL_TO: "x",
    WORKER_CONCURRENCY: "3",
    RATE_LIMIT_PER_MINUTE: "3",
    KUBERNETES_SERVICE_PORT: "1",
  };
  expect(() => readSettings(Settings, { ...complete, ...foreign })).not.toThrow();
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
