import { expect, test } from "vitest";
import { createCertificateEnds } from "./certificate-ends.ts";

const dayMs = 86_400_000;

test("certificates that end within 30 days are listed, until a newer one or no connection is seen", () => {
  let now = 0;
  const ends = createCertificateEnds({ now: () => new Date(now) });
  const add = (host: string, days: number) => ends.add(host, new Date(now + days * dayMs));
  const list = () => ends.listSoon().map(({ host, expiresInMs }) => [host, expiresInMs / dayMs]);
  add("late.example", 60);
  add("soon.example", 10);
  add("sooner.example", 2);
  expect(list()).toEqual([
    ["sooner.example", 2],
    ["soon.example", 10],
  ]);
  now += 5 * dayMs;
  expect(list()[0], "it has ended, and no connection was made since").toEqual(["sooner.example", -3]);
  add("soon.example", 90);
  expect(list()).toEqual([["sooner.example", -3]]);
  now += 3 * dayMs;
  expect(list(), "nobody has connected for a week").toEqual([]);
});

test("a tenant with many hosts makes neither many entries nor many series", () => {
  const ends = createCertificateEnds({ now: () => new Date(0) });
  for (let host = 0; host < 6_000; host++) ends.add(`${host}.example`, new Date(host));
  const listed = ends.listSoon();
  expect(listed).toHaveLength(20);
  expect(listed[0]?.host, "the first thousand were dropped").toBe("1000.example");
});
