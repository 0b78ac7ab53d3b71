import { SettingsError } from "@querybell/domain";
import { readSettings } from "@querybell/runtime";
import { expect, test } from "vitest";
import { ApiSettings } from "./env.ts";

const read = (TRUSTED_PROXIES: string) =>
  readSettings(ApiSettings, {
    DATABASE_URL: "postgresql://localhost/querybell",
    SEALING_KEYS: "k1:secret",
    PUBLIC_URL: "https://querybell.example",
    TRUSTED_PROXIES,
  }).TRUSTED_PROXIES;

test.each([
  ["10.0.0.1", "10.0.0.1"],
  [" 10.0.0.0/8, fd00::/8,\n::1 loopback ", "10.0.0.0/8,fd00::/8,::1,loopback"],
  [" , ", undefined],
])("the proxies %j are read as %j", (text, proxies) => {
  expect(read(text)).toBe(proxies);
});

test.each(["foo", "10.0.0.0/33", "10.0.0.0/0", "10.0.0.0/", "::1/129", "10.0.0.0/8/8", "10.0.0"])(
  "the proxy %s is refused, and the message names the setting and the entry",
  (entry) => {
    const refused = () => read(`127.0.0.1, ${entry}`);
    expect(refused).toThrow(SettingsError);
    expect(refused).toThrow(`TRUSTED_PROXIES has "${entry}", which is neither an address nor a network`);
  },
);
