import type { ExplainedSurvivor } from "./survivor.ts";

export const explainedInGuard: ExplainedSurvivor[] = [
  {
    file: "packages/guard/src/network.ts",
    line: 'const [before = "", after] = text.split("::");',
    change: '"" → "Stryker was here!"',
    because: "splitting a text gives at least one part; the default is there for the compiler",
  },
  {
    file: "packages/guard/src/network.ts",
    line: 'if (text === "") return [];',
    change: 'text === "" → false',
    because: "nothing would be read as a group of zero, and zeros are filled in there anyway",
  },
  {
    file: "packages/guard/src/network.ts",
    line: 'if (text === "") return [];',
    change: '"" → "Stryker was here!"',
    because: "nothing would be read as a group of zero, and zeros are filled in there anyway",
  },
  {
    file: "packages/guard/src/network.ts",
    line: 'if (text === "") return [];',
    change: '[] → ["Stryker was here"]',
    because: "a text in a list of bytes is zero, and zeros are filled in there anyway",
  },
  {
    file: "packages/guard/src/guard.ts",
    line: 'const codes = settled.flatMap((answer) => (answer.status === "rejected" ? [codeOf(answer.reason)] : []));',
    change: '[] → ["Stryker was here"]',
    because:
      "the resolver rejects an answer without addresses, so all answers that are seen here were rejected",
  },
  {
    file: "packages/guard/src/guard.ts",
    line: 'const codes = settled.flatMap((answer) => (answer.status === "rejected" ? [codeOf(answer.reason)] : []));',
    change: 'answer.status === "rejected" → true',
    because:
      "the resolver rejects an answer without addresses, so all answers that are seen here were rejected",
  },
  {
    file: "packages/guard/src/guard.ts",
    line: 'return codes.find((code) => code !== "ENODATA" && code !== "ENOTFOUND") ?? codes[0] ?? "ENODATA";',
    change: '"ENODATA" → ""',
    because: "there are two codes, so the last default is never used; it is there for the compiler",
  },
  {
    file: "packages/guard/src/guard.ts",
    line: 'error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "EUNKNOWN";',
    change: '"EUNKNOWN" → ""',
    because: "every error of Node's resolver has a code; the check is there for the compiler",
  },
  {
    file: "packages/guard/src/guard.ts",
    line: 'error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "EUNKNOWN";',
    change: 'error instanceof Error && "code" in error && typeof error.code === "string" → true',
    because: "every error of Node's resolver has a code; the check is there for the compiler",
  },
  {
    file: "packages/guard/src/guard.ts",
    line: 'error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "EUNKNOWN";',
    change:
      'error instanceof Error && "code" in error && typeof error.code === "string" → error instanceof Error && "code" in error || typeof error.code === "string"',
    because: "every error of Node's resolver has a code; the check is there for the compiler",
  },
  {
    file: "packages/guard/src/guard.ts",
    line: 'error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "EUNKNOWN";',
    change: 'error instanceof Error && "code" in error → true',
    because: "every error of Node's resolver has a code; the check is there for the compiler",
  },
  {
    file: "packages/guard/src/guard.ts",
    line: 'error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "EUNKNOWN";',
    change: 'error instanceof Error && "code" in error → error instanceof Error || "code" in error',
    because: "every error of Node's resolver has a code; the check is there for the compiler",
  },
  {
    file: "packages/guard/src/guard.ts",
    line: 'error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "EUNKNOWN";',
    change: 'typeof error.code === "string" → true',
    because: "every error of Node's resolver has a code; the check is there for the compiler",
  },
  {
    file: "packages/guard/src/guard.ts",
    line: "if (cache.size >= maxCached && oldest !== undefined) cache.delete(oldest);",
    change: "oldest !== undefined → true",
    because: "a full cache has an oldest entry; the comparison is there for the compiler",
  },
  {
    file: "packages/guard/src/guard.ts",
    line: 'signal.addEventListener("abort", onAbort, { once: true });',
    change: "{ once: true } → {}",
    because: "a signal is aborted once at most",
  },
  {
    file: "packages/guard/src/guard.ts",
    line: 'signal.addEventListener("abort", onAbort, { once: true });',
    change: "true → false",
    because: "a signal is aborted once at most",
  },
  {
    file: "packages/guard/src/network.ts",
    line: 'const [, addressText = "", bitsText = ""] = /^([^/]+)\\/(\\d{1,3})$/.exec(text) ?? [];',
    change: '"" → "Stryker was here!"',
    because: "neither is an address or a number: the network is refused with the same sentence",
  },
  {
    file: "packages/guard/src/network.ts",
    line: 'const [, addressText = "", bitsText = ""] = /^([^/]+)\\/(\\d{1,3})$/.exec(text) ?? [];',
    change: '[] → ["Stryker was here"]',
    because: "the first entry of a match is not used",
  },
  {
    file: "packages/guard/src/network.ts",
    line: ".split(/[\\s,]+/)",
    change: "/[\\s,]+/ → /[\\s,]/",
    because: "empty entries are left out in the next line",
  },
  {
    file: "packages/guard/src/network.ts",
    line: "if (bits >= 8) return 0xff;",
    change: "bits >= 8 → bits > 8",
    because: "for 8 bits, the next line gives the same",
  },
  {
    file: "packages/guard/src/network.ts",
    line: "return bits <= 0 ? 0 : (0xff << (8 - bits)) & 0xff;",
    change: "bits <= 0 → bits < 0",
    because: "for 0 bits, the shift gives 0 as well",
  },
  {
    file: "packages/guard/src/special-networks.ts",
    line: '...special("private", [',
    change: '"private" → ""',
    because: "the policy compares with the two other words only",
  },
  {
    file: "packages/guard/src/target.ts",
    line: 'return address !== undefined && classifyAddress(address)?.exemption === "loopback";',
    change: "address !== undefined → true",
    because: "a host that is an address can be parsed as one; the comparison is there for the compiler",
  },
  {
    file: "packages/guard/src/target.ts",
    line: "const port = /^([a-z][a-z0-9+.-]*:\\/\\/[^/?#]*?):[^/?#:\\]]*(?=[/?#]|$)/i;",
    change:
      "/^([a-z][a-z0-9+.-]*:\\/\\/[^/?#]*?):[^/?#:\\]]*(?=[/?#]|$)/i → /([a-z][a-z0-9+.-]*:\\/\\/[^/?#]*?):[^/?#:\\]]*(?=[/?#]|$)/i",
    because: "after the host of a URL anything can be parsed, so a port there is never what is wrong",
  },
];
