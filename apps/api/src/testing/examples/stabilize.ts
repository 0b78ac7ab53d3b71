import type { Example } from "../../api-reference/example-text.ts";

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const shortId = /"shortId":"([2-9a-z]{10})"/g;

/** Random values, and their replacements. */
const secrets: [pattern: RegExp, shown: string][] = [
  [/\bqb_[A-Za-z0-9_-]+/g, "qb_…"],
  [/\bwhsec_[A-Za-z0-9+/=]+/g, "whsec_…"],
  [/\bv1=[0-9a-f]{64}\b/g, "v1=…"],
  [/(?<=\/invitation#|\/reset-password#|"token":")[A-Za-z0-9_-]+/g, "…"],
  [/(?<=\/p\/)[\w-]{32}(?=")/g, "…"],
  [/(?<="nextCursor":")[^"]+/g, "…"],
  [/\bqbscim_[\w-]+/g, "qbscim_…"],
  [/(?<=callback\?code=)[\w-]+/g, "…"],
  [/(?<=querybell-domain=)[\w-]+/g, "…"],
  [/http:\/\/127\.0\.0\.1:\d+(?=")/g, "https://login.example.com"],
  [/(?<="secret":"|[?&]secret=)[A-Z2-7]{32}/g, "…"],
  [/(?<="code":")\d{6}(?=")/g, "123456"],
  [/\b[A-Z2-9]{4}(?:-[A-Z2-9]{4}){3}\b/g, "ABCD-EFGH-JKLM-NPQR"],
  [
    /(?<="(?:challenge|rawId|clientDataJSON|attestationObject|authenticatorData|signature|userHandle)":")[\w-]+/g,
    "…",
  ],
  [/(?<="credential":\{"id":")[\w-]+/g, "…"],
  [/(?<="excludeCredentials":\[\{"id":")[\w-]+/g, "…"],
  [/(?<="user":\{"id":")[\w-]{48}(?=")/g, "…"],
  [/(?<="etag":")(?:\\.|[^"\\])+/g, "…"],
  [/(?<="slug":"acme-)[a-z0-9]+/g, "3f9a2c"],
  [/http:\/\/127\.0\.0\.1:\d+\/v1(?=")/g, "https://models.example.com/v1"],
  // Leases use the machine's clock, not the test's.
  [/(?<="leaseUntil":")[^"]+/g, "2026-11-02T08:02:00.000Z"],
  [/(?<="seenAt":")[^"]+/g, "2026-11-02T07:59:55.000Z"],
  [/(?<="oldestAt":")[^"]+/g, "2026-11-02T07:59:50.000Z"],
  // Of the server and the schema, which differ between machines and versions.
  [/(?<="serverVersion":")[^"]+/g, "18.4"],
  [/(?<="serverStartedAt":")[^"]+/g, "2026-10-20T05:00:00.000Z"],
  [/(?<="bytes":)\d+(?=,"connections")/g, "5368709120"],
  [/(?<="connections":\{"open":)\d+,"max":\d+/g, '34,"max":100'],
  [
    /(?<="migration":)\{[^}]+\}/g,
    '{"name":"20261101100000_example","appliedAt":"2026-11-02T06:29:00.000Z","count":42}',
  ],
];

/**
 * Makes recorded examples deterministic: ids are numbered in the order of their first occurrence, so an object has the
 * same id in all examples.
 */
export function stabilize(examples: Record<string, Example>): unknown {
  let text = JSON.stringify(examples);
  text = numbered(text, uuid, (number) => `019a42c5-e800-7000-8000-${String(number).padStart(12, "0")}`);
  const shortIds = [...new Set([...text.matchAll(shortId)].map(([, id = ""]) => id))];
  for (const [at, id] of shortIds.entries())
    text = text.replaceAll(id, `w7hq4k2m${String.fromCharCode(97 + Math.floor(at / 8))}${2 + (at % 8)}`);
  for (const [pattern, shown] of secrets) text = text.replaceAll(pattern, shown);
  return JSON.parse(text);
}

function numbered(text: string, pattern: RegExp, toText: (number: number) => string): string {
  const numbers = new Map<string, number>();
  return text.replaceAll(pattern, (found) => {
    const number = numbers.get(found) ?? numbers.size + 1;
    numbers.set(found, number);
    return toText(number);
  });
}
