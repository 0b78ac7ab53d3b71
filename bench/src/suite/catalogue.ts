/** A value in the last line of a bench, which looks like `name key=value key=value`. */
export interface Figure {
  key: string;
  meaning: string;
  aim?: { atLeast: number } | { atMost: number };
  /** Zero is a result, and does not mean that nothing was measured. */
  canBeZero?: true;
}

export interface Bench {
  name: string;
  /** What it is compared with: measured in the same run. */
  bound: string;
  figures: Figure[];
  /** Flags for the whole suite, which has an hour. */
  flags?: string[];
}

/** Everything that `pnpm bench` without a name runs. Crash tests and the soak are separate commands. */
export const benches: Bench[] = [
  {
    name: "deliveries",
    bound:
      "a loop of signed POSTs to the same receiver; `single`: a loop of transactions that write the same rows, as many at once",
    figures: [
      { key: "ratio", meaning: "deliveries of a backlog", aim: { atLeast: 0.75 } },
      {
        key: "live",
        meaning: "deliveries while 50 events are emitted in a transaction",
        aim: { atLeast: 0.5 },
      },
      {
        key: "single",
        meaning: "deliveries while runs end, one event in a transaction",
        aim: { atLeast: 0.5 },
      },
      { key: "statements", meaning: "SQL statements for a delivery", aim: { atMost: 0.02 } },
      { key: "p50_ms", meaning: "sent commit to arrival at 50 events a second, p50, ms", aim: { atMost: 4 } },
      {
        key: "p99_ms",
        meaning: "sent commit to arrival at 50 events a second, p99, ms",
        aim: { atMost: 12 },
      },
    ],
  },
  {
    name: "arrival",
    bound: "nothing: times of one clock, at 1, 20 and 200 calls a second; the slowest of them",
    figures: [
      {
        key: "call_p50_ms",
        meaning: "call that ends a run to the arrival of its webhook, p50, ms",
        aim: { atMost: 5 },
      },
      { key: "call_p99_ms", meaning: "the same, p99, ms", aim: { atMost: 15 } },
      { key: "answer_p50_ms", meaning: "the answer of that call, p50, ms" },
      { key: "ends_per_s", meaning: "runs that end a second, 32 callers", aim: { atLeast: 1000 } },
    ],
  },
  {
    name: "isolation",
    bound: "the same without hanging endpoints",
    figures: [
      { key: "ratio", meaning: "p99 of healthy endpoints beside 200 that hang", aim: { atMost: 1.3 } },
      { key: "p99_ms", meaning: "the same in ms", aim: { atMost: 40 } },
    ],
  },
  {
    name: "automations",
    bound: "Fastify and the driver: one statement for each call, which writes the same rows",
    figures: [
      { key: "triggers_ratio", meaning: "runs triggered over HTTP", aim: { atLeast: 0.5 } },
      { key: "ends_ratio", meaning: "runs claimed and completed over HTTP", aim: { atLeast: 0.5 } },
      { key: "trips_per_trigger", meaning: "round trips to the database for a trigger", aim: { atMost: 2 } },
      { key: "trips_per_end", meaning: "round trips to the database for an end", aim: { atMost: 3 } },
      { key: "end_p50_ms", meaning: "completing a run, p50, ms" },
      { key: "end_p99_ms", meaning: "completing a run, p99, ms" },
      {
        key: "at_nine_s",
        meaning: "1,000 digests due at once, until the last webhook, s",
        aim: { atMost: 60 },
      },
      {
        key: "at_nine_conditions_s",
        meaning: "the same with a condition each, by which its run is judged",
        aim: { atMost: 60 },
      },
    ],
  },
  {
    name: "requests",
    bound: "a bare route with the same statement",
    figures: [
      { key: "ratio", meaning: "small queries with an API key", aim: { atLeast: 0.5 } },
      { key: "cpu_ms", meaning: "processor time of the api for each, ms", aim: { atMost: 0.5 } },
    ],
  },
  {
    name: "pictures",
    bound: "nothing: the time of one picture",
    figures: [
      { key: "ms", meaning: "a PNG of a chart of 1,000 points, p50, ms", aim: { atMost: 150 } },
      { key: "rate_per_s", meaning: "the same, four at once, a second" },
      {
        key: "loop_block_ms",
        meaning: "longest block of the api's event loop meanwhile, ms",
        aim: { atMost: 20 },
      },
    ],
  },
  {
    name: "pages",
    bound: "a bare route with the same statement",
    figures: [
      { key: "ratio", meaning: "a page of a million references over REST", aim: { atLeast: 0.7 } },
      { key: "depth", meaning: "time of the last page over that of the first" },
    ],
  },
  {
    name: "dashboards",
    bound:
      "`agree`: parts and their total in one transaction; `lcp_ms`, `tiles_ms`: a processor four times slower; `public`: a bare route, and the same without visitors",
    figures: [
      {
        key: "agree",
        meaning: "refreshes of 12 charts on Postgres whose parts equal their total, beside a writer",
        aim: { atLeast: 1 },
        canBeZero: true,
      },
      { key: "agree_duckdb", meaning: "the same on DuckDB", aim: { atLeast: 1 }, canBeZero: true },
      { key: "refresh_ms", meaning: "a refresh on Postgres, p50, ms" },
      { key: "refresh_ms_duckdb", meaning: "a refresh on DuckDB, p50, ms" },
      {
        key: "lcp_ms",
        meaning: "largest paint of a dashboard of 12 charts, their results in one request, ms",
        aim: { atMost: 1500 },
      },
      { key: "tiles_ms", meaning: "until all 12 are drawn, ms" },
      {
        key: "public_rps_ratio",
        meaning: "public pages a second over a bare route that sends the same bytes",
        aim: { atLeast: 0.5 },
      },
      {
        key: "public_effect",
        meaning: "at a third of that load, p99 of a quiet organization's lists over the same without it",
        aim: { atMost: 1.3 },
      },
    ],
  },
  {
    name: "history",
    bound: "the bytes of each result as it is stored at first",
    figures: [
      {
        key: "size_ratio",
        meaning: "a year of hourly results of 10,000 rows of which 1 % change",
        aim: { atMost: 0.05 },
      },
      { key: "open_p95_ms", meaning: "opening one of them, p95, ms", aim: { atMost: 1000 } },
      {
        key: "diff_s",
        meaning: "two results of 1,000,000 rows with 10,000 changes compared, s",
        aim: { atMost: 5 },
      },
      { key: "diff_mib", meaning: "the memory of the process that compares them, MiB", aim: { atMost: 512 } },
      { key: "rows_wrong", meaning: "wrong results and rows", aim: { atMost: 0 }, canBeZero: true },
    ],
  },
  {
    name: "rights",
    bound: "the same list or search without rights",
    figures: [
      {
        key: "list_ratio",
        meaning: "lists of 10,000 queries in 1,000 folders with rights of 100 groups",
        aim: { atLeast: 0.7 },
      },
      { key: "search_ratio", meaning: "searches of them", aim: { atLeast: 0.7 } },
    ],
  },
  {
    name: "results",
    bound: "a bare route that sends a file with the same bytes",
    figures: [{ key: "ratio", meaning: "a cached result of 10,000 rows over REST", aim: { atLeast: 0.6 } }],
  },
  {
    name: "runs",
    bound: "the same statement in the driver, its rows encoded and stored in one transaction",
    figures: [
      { key: "overhead_ms", meaning: "SELECT 1 beyond what the engine takes, p50, ms", aim: { atMost: 25 } },
      { key: "rate_ratio", meaning: "runs of SELECT 1 with 8 callers", aim: { atLeast: 0.3 } },
      { key: "rows_ratio_duckdb", meaning: "50,000 rows of DuckDB", aim: { atLeast: 0.5 } },
      { key: "rows_ratio_postgres", meaning: "50,000 rows of Postgres", aim: { atLeast: 0.5 } },
      { key: "rows_ratio_trino", meaning: "50,000 rows of Trino", aim: { atLeast: 0.5 } },
    ],
  },
  {
    name: "verify",
    bound: "HMAC and comparison with node:crypto; the fastest of three other kits",
    figures: [
      { key: "ratio", meaning: "verifications of the receiver kit over bare crypto" },
      { key: "best_rival", meaning: "the same over the fastest other kit", aim: { atLeast: 1 } },
    ],
  },
  {
    name: "fairness",
    bound: "the same without the flood",
    flags: ["--rounds", "2"],
    figures: [
      { key: "runs", meaning: "p99 of a quiet organization's runs beside a hostile one", aim: { atMost: 3 } },
      { key: "pages", meaning: "p99 of its page reads", aim: { atMost: 3 } },
      { key: "deliveries", meaning: "p99 of its deliveries", aim: { atMost: 3 } },
    ],
  },
  {
    name: "web",
    bound: "a processor four times slower, as on a phone",
    figures: [
      { key: "shell_kb", meaning: "what every page loads, compressed, KiB", aim: { atMost: 250 } },
      { key: "permalink_lcp_ms", meaning: "largest paint of a permalink, ms", aim: { atMost: 1500 } },
      { key: "query_lcp_ms", meaning: "largest paint of a query, ms", aim: { atMost: 2000 } },
      {
        key: "grid_long_frames",
        meaning: "long frames while scrolling 50,000 rows",
        aim: { atMost: 0 },
        canBeZero: true,
      },
      { key: "type_p99_ms", meaning: "a key in the editor, p99, ms", aim: { atMost: 50 } },
    ],
  },
  {
    name: "scale",
    bound: "the same with one worker",
    figures: [
      { key: "deliveries_1", meaning: "deliveries a second, 1 worker, receivers that answer after 50 ms" },
      { key: "deliveries_2", meaning: "the same with 2 workers" },
      { key: "deliveries_4", meaning: "the same with 4 workers" },
      { key: "runs_1", meaning: "runs a second of a query of 50 ms, 1 worker" },
      { key: "runs_2", meaning: "the same with 2 workers" },
      { key: "runs_4", meaning: "the same with 4 workers" },
    ],
  },
  {
    name: "growth",
    bound: "the same operation with a thousandth of the history",
    figures: [
      {
        key: "worst",
        meaning: "pages that the worst operation touches, times those at 1",
        aim: { atMost: 3 },
      },
    ],
  },
];
