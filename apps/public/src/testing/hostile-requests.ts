import type { SeededRandom } from "@querybell/core/testing";

export interface HostileRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

interface Known {
  /** Paths of published pages. */
  paths: readonly [string, ...string[]];
  /** Ids of what is not published: references, queries, runs. */
  ids: readonly [string, ...string[]];
}

const methods = [
  "GET",
  "GET",
  "GET",
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "PROPFIND",
  "SEARCH",
] as const;

/** Texts that SQL, HTML, paths, templates or JavaScript treat specially. */
const texts = [
  "' OR '1'='1",
  "1); SELECT * FROM query_results; --",
  "$$; DROP TABLE public_links; $$",
  "\\'; COPY (SELECT 1) TO PROGRAM 'id'; --",
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "{{7*7}}#{7*7}",
  "../../../../etc/passwd",
  "..%2f..%2f..%2fetc%2fpasswd",
  "%00",
  "%c0%ae%c0%ae/",
  "__proto__",
  "constructor",
  "[object Object]",
  "-1",
  "9007199254740993",
  "1e309",
  "NaN",
  "\u202e",
  "%F0%9F%92%A9",
  "A".repeat(3000),
] as const;

/** Addresses that have let strangers query in other products, and those of our own api. */
const routes = [
  "/api/public/card/ID/query",
  "/api/public/card/ID/query/json",
  "/api/public/dashboard/ID/dashcard/1/card/1",
  "/api/embed/card/ID/query",
  "/api/dataset",
  "/api/v1/chart/data",
  "/api/v1/sqllab/execute/",
  "/superset/explore_json/",
  "/api/queries/ID/results.json",
  "/api/v1/security/guest_token/",
  "/api/trpc/queries.run",
  "/api/trpc/references.get",
  "/api/runs/ID/result.csv",
  "/api/references/ID",
  "/api/charts/ID/picture.svg",
  "/q/ID",
  "/e",
  "/e/",
  "/e/ID",
  "/e/embed.js",
  "/e/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/ID/0-wide-light.svg",
  "/metrics",
  "/p/",
  "/p",
  "/p//",
  "/.env",
  "/p/.git/config",
] as const;

const parameters = [
  "parameters",
  "tab",
  "sql",
  "query",
  "values",
  "filter",
  "id",
  "run",
  "format",
  "callback",
  "f.region",
  "f.region",
  "f.__proto__",
  "f.",
] as const;

const files = [
  "preview.png",
  "0-wide-light.svg",
  "1-wide-light.svg",
  "99-narrow-dark.svg",
  "content",
  "result.csv",
  "page.json",
  "..",
  "0-wide-light.svg/..",
  "1/0-wide-light.svg",
  "99/0-wide-light.svg",
  "-1/0-wide-light.svg",
] as const;

/** Of the filter `region`: only the first is published. */
const regions = ["north", "east", "East", "north' OR 'a'='a", "north,east", '["north","east"]', ""] as const;

/** A request of somebody who wants to see more than is published. The same random choices make the same request. */
export function createHostileRequest(random: SeededRandom, { paths, ids }: Known): HostileRequest {
  const { pick, below } = random;
  const chance = (percent: number) => below(100) < percent;
  const encoded = (text: string) =>
    chance(50) ? encodeURIComponent(text) : text.replace(/[^\x21-\x7e]/g, "%");
  const paths4 = {
    unknown: () => `/p/${random.hex(32)}`,
    mutated: () => mutate(random, pick(paths)),
    file: () => `${pick(paths)}/${chance(60) ? pick(files) : encoded(pick(texts))}`,
    route: () => pick(routes).replace("ID", chance(70) ? pick(ids) : random.uuid()),
    page: () => pick(paths),
  };
  let path = pick([paths4.unknown, paths4.mutated, paths4.file, paths4.route, paths4.page, paths4.page])();
  if (chance(50)) {
    const pairs = Array.from({ length: 1 + below(4) }, () => {
      const text = pick([pick(texts), pick(texts), toCard(random, ids), pick(regions)]);
      return `${pick(parameters)}=${encoded(text)}`;
    });
    path += `?${pairs.join("&")}`;
  }
  const method = pick(methods);
  const hasBody = method !== "GET" && method !== "HEAD";
  const isForm = chance(60);
  return {
    method,
    path: path.slice(0, 7000),
    headers: {
      ...(hasBody && {
        "content-type": isForm
          ? "application/x-www-form-urlencoded"
          : pick(["application/json", "text/plain", "multipart/form-data; boundary=x"]),
      }),
      ...(chance(30) && {
        cookie: `qb_page=${pick(["", "9999999999.", "9999999999.AAAA", `${below(1e9)}.${random.hex(43)}`])}; better-auth.session_token=${random.hex(32)}`,
      }),
      ...(chance(20) && {
        "x-forwarded-host": "evil.example",
        "x-forwarded-for": "127.0.0.1",
        "x-original-url": "/api/trpc/queries.run",
      }),
      ...(chance(20) && { authorization: `Bearer qb_${random.hex(12)}_${random.hex(32)}` }),
      ...(chance(20) && { "if-none-match": pick(["*", '"x"', `"${random.hex(27)}"`, ",".repeat(2000)]) }),
      ...(chance(20) && { "accept-encoding": pick(["identity", "br", "gzip;q=0", "*", "deflate, gzip"]) }),
      ...(chance(10) && { range: "bytes=0-1,2-3,4-5" }),
      ...(chance(10) && { "x-http-method-override": "PUT" }),
      ...(chance(5) && { [`x-${random.hex(4)}`]: "y".repeat(below(6000)) }),
    },
    body: hasBody ? toBody(random, { isForm, ids }) : "",
  };
}

function mutate(random: SeededRandom, path: string): string {
  const at = 3 + random.below(Math.max(1, path.length - 3));
  const change = random.pick(["flip", "cut", "add", "case", "encode", "slash"]);
  switch (change) {
    case "flip":
      return `${path.slice(0, at)}${random.pick(["A", "b", "-", "_", "."])}${path.slice(at + 1)}`;
    case "cut":
      return path.slice(0, at);
    case "add":
      return `${path}${random.pick(["A", "=", "%00", "%0a", ";x", "."])}`;
    case "case":
      return path.toUpperCase();
    case "encode":
      return `${path.slice(0, at)}%${path
        .charCodeAt(at % path.length)
        .toString(16)
        .padStart(2, "0")}${path.slice(at + 1)}`;
    default:
      return path.replace("/p/", random.pick(["/p//", "//p/", "/P/", "/p/./", "/p/../p/", "/x/../p/"]));
  }
}

/** As the advisories about public cards and guests describe: SQL in parameters, and other queries than the published one. */
const toCard = (random: SeededRandom, ids: Known["ids"]): string =>
  JSON.stringify([
    {
      type: "category",
      target: ["variable", ["template-tag", random.pick(texts)]],
      value: random.pick(["1 UNION SELECT * FROM users", "'; SELECT pg_sleep(9); --", random.pick(ids)]),
      database: random.below(9),
      native: { query: "SELECT * FROM query_results", "template-tags": { __proto__: { type: "text" } } },
    },
  ]);

function toBody(random: SeededRandom, { isForm, ids }: { isForm: boolean; ids: Known["ids"] }): string {
  if (!isForm) return random.below(5) === 0 ? "{".repeat(5000) : toCard(random, ids);
  const password = random.pick(["", "password", "' OR 1=1 --", "x".repeat(300), "\u0000", "%"]);
  const pairs = new URLSearchParams({ password, sql: "SELECT 1", parameters: toCard(random, ids) });
  return random.below(10) === 0 ? `${pairs}&x=${"y".repeat(6000)}` : String(pairs);
}
