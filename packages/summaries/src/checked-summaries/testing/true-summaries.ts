import { phrases } from "../phrases/phrases.ts";
import { Language } from "../slot.ts";

export interface TrueSummary {
  language: Language;
  today: string;
  results: object[];
  text: string;
}

const countries = [
  "France",
  "Germany",
  "Italy",
  "Côte d'Ivoire",
  "Österreich",
  "España",
  '27" screens',
  "日本",
];
const products = ["Kettle", "Pan 12", "Tent, large", "A & B", "No. 7", "Löffel"];

/** Numbers that look random and are the same each time. */
const number = (seed: number, most: number) => ((seed * 7_919 + 104_729) % most) + 1;

const byCountry = (seed: number) => ({
  columns: ["country", { name: "revenue", type: "decimal" }, "orders"],
  rows: countries
    .slice(0, 3 + (seed % 5))
    .map((name, i) => [name, `${number(seed + 31 * i, 90_000)}.${10 + i}`, number(seed + i, 500) + i]),
  before: countries
    .slice(0, 2 + (seed % 5))
    .map((name, i) => [
      name,
      `${number(seed + 37 * i + 5, 90_000)}.${20 + i}`,
      number(seed + 3 * i, 500) + i,
    ]),
});

const byMonth = (seed: number) => ({
  columns: [{ name: "month", type: "date" }, "revenue", "unit_price"],
  rows: Array.from({ length: 14 }, (_, i) => [
    `${i < 3 ? 2025 : 2026}-${String(i < 3 ? 10 + i : i - 2).padStart(2, "0")}-01`,
    number(seed + 17 * i, 5_000_000) + i,
    (number(seed + i, 9_000) + i) / 100,
  ]).slice(0, 10 + (seed % 4)),
});

const byDay = (seed: number) => ({
  columns: [{ name: "day", type: "date" }, { name: "product", type: "string" }, "sold"],
  rows: Array.from({ length: 10 }, (_, i) => [
    `2026-11-${String(5 + Math.floor(i / 2)).padStart(2, "0")}`,
    products[(seed + (i % 2)) % products.length],
    number(seed + 13 * i, 400) + i,
  ]),
});

const single = (seed: number) => ({
  columns: ["customers", "churn_pct", "previous_customers"],
  rows: [[number(seed, 10_000), number(seed, 90) / 10, number(seed + 1, 10_000)]],
  before: [[number(seed + 2, 10_000), number(seed + 2, 90) / 10, number(seed + 3, 10_000)]],
});

const tickets = (seed: number) => ({
  columns: ["id", "status", "is_urgent", { name: "opened_on", type: "date" }],
  rows: Array.from({ length: 8 }, (_, i) => [
    100 + i,
    ["open", "waiting", "closed"][(i + seed) % 3],
    i % 2 === 0,
    `2026-11-${String(10 + (i % 5)).padStart(2, "0")}`,
  ]),
});

/** Slots that can be filled from each of these results, in all the ways in which they may be written. */
const shapes: { make: (seed: number) => object; slots: string[] }[] = [
  {
    make: byCountry,
    slots: [
      ...[
        "{{total revenue}}",
        "{{ total column=revenue }}",
        "{{sum column='orders'}}",
        '{{average column="revenue"}}',
      ],
      ...[
        "{{largest revenue}}",
        "{{smallest column=orders}}",
        "{{max orders}}",
        "{{count}}",
        "{{distinct country}}",
      ],
      ...[
        '{{value column=revenue row="France"}}',
        "{{value revenue country=Germany}}",
        "{{value row=France column=orders}}",
      ],
      ...[
        '{{compare column=revenue row="France" with="Germany"}}',
        "{{compare orders row=Germany versus=Italy}}",
      ],
      ...[
        '{{share column=revenue row="France"}}',
        "{{share orders row=Italy}}",
        "{{top revenue}}",
        "{{bottom column=revenue}}",
      ],
      ...[
        "{{top column=revenue n=2}}",
        "{{rank column=revenue row=Germany}}",
        "{{list revenue}}",
        "{{count revenue>100}}",
      ],
      ...[
        "{{total column=revenue orders>=1}}",
        '{{count country!="France"}}',
        "{{total revenue versus=last_run}}",
      ],
      ...[
        "{{count versus=last_run}}",
        "{{change column=revenue row=France since=last_run}}",
        "{{new_rows}}",
        "{{gone_rows}}",
      ],
      ...[
        "{{changes}}",
        "{{movers column=revenue n=1}}",
        "{{value revenue row=France run=last}}",
        "{{empty revenue}}",
      ],
      ...[
        "{{value result=r1_before column=revenue row=Germany}}",
        '{{list columns="revenue, orders" row="France"}}',
      ],
      ...["{{value revenue row=“France”}}", "{{value revenue row=france}}", "{{total REVENUE}}"],
    ],
  },
  {
    make: byMonth,
    slots: [
      ...[
        "{{value revenue period=last}}",
        "{{value revenue period=2026-05}}",
        '{{value revenue period="May 2026"}}',
      ],
      ...[
        "{{value revenue period=last versus=previous}}",
        "{{change revenue}}",
        "{{change column=revenue period=2026-04 from=2026-02}}",
      ],
      ...[
        '{{change column=revenue from="January 2026" to="June 2026"}}',
        "{{total revenue period=2026-Q1}}",
        "{{total revenue period=2026}}",
      ],
      ...[
        "{{average revenue period=2026}}",
        "{{rank revenue period=last}}",
        "{{share revenue period=2026-03}}",
        "{{periods}}",
      ],
      ...[
        "{{latest}}",
        "{{gaps}}",
        "{{top revenue}}",
        "{{largest revenue period=2026}}",
        "{{largest month}}",
        "{{smallest month}}",
      ],
      ...["{{average unit_price}}", "{{value column='unit price' period=first}}", "{{count period=2026}}"],
      ...[
        "{{total revenue month>=2026-02-01}}",
        '{{list columns="revenue, unit_price" period=last versus=previous}}',
      ],
      ...["{{compare revenue period=2026-06 with=2026-05}}", "{{value revenue month=2026-06-01}}"],
    ],
  },
  {
    make: byDay,
    slots: [
      ...[
        "{{total sold period=last}}",
        "{{total sold period=last versus=previous}}",
        "{{top sold by=product}}",
      ],
      ...[
        "{{list sold by=product period=2026-11-06}}",
        "{{change sold}}",
        "{{change sold op=average}}",
        "{{latest}}",
        "{{periods}}",
      ],
      ...[
        "{{share sold period=2026-11-07}}",
        "{{distinct day}}",
        "{{groups product}}",
        "{{total sold day=2026-11-08}}",
      ],
      ...["{{average sold}}", "{{top sold by=day}}", "{{count period=2026-11-06}}"],
    ],
  },
  {
    make: single,
    slots: [
      ...[
        "{{value customers}}",
        "{{value churn_pct}}",
        "{{value customers versus=last_run}}",
        "{{change customers since=last_run}}",
      ],
      ...[
        "{{compare customers with_column=previous_customers}}",
        '{{list columns="customers, churn_pct"}}',
        "{{count}}",
      ],
    ],
  },
  {
    make: tickets,
    slots: [
      ...[
        "{{count}}",
        "{{count status=open}}",
        "{{groups status}}",
        "{{distinct status}}",
        "{{value status id=103}}",
      ],
      ...[
        "{{count is_urgent=true}}",
        "{{value is_urgent id=101}}",
        "{{count opened_on=2026-11-11}}",
        "{{latest dates=opened_on}}",
      ],
      ...["{{value opened_on id=104}}", "{{count status!=closed}}", "{{largest opened_on}}"],
    ],
  },
];

/** Summaries of one or two sentences: every slot in every language, with every phrase. */
export function trueSummaries(): TrueSummary[] {
  let seed = 0;
  return Language.options.flatMap((language) => {
    const { openers, links, endings } = phrases[language];
    return [...shapes, ...shapes].flatMap(({ make, slots }) =>
      slots.map((slot, i): TrueSummary => {
        seed++;
        const other = slots[(i + 1) % slots.length] ?? slot;
        const [opener, link] = [openers[seed % openers.length] ?? "", links[seed % links.length] ?? ""];
        const ending = seed % 3 === 0 ? ` ${endings[seed % endings.length] ?? ""}` : "";
        const start =
          seed % 2 === 0
            ? `${opener.charAt(0).toUpperCase()}${opener.slice(1)}${seed % 4 === 0 ? "," : ":"} `
            : "";
        return {
          language,
          today: "2026-11-16",
          results: [{ title: "A result", ...make(seed % 23) }],
          text: `${start}${slot}${seed % 5 === 0 ? "," : ""} ${link} ${other}${ending}.`,
        };
      }),
    );
  });
}
