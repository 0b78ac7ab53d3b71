import { describe, expect, test } from "vitest";
import { checkLine } from "./check-line.ts";
import type { Language } from "./slot.ts";

type Cell = string | number | boolean | null;

interface Given {
  columns: (string | { name: string; type: string })[];
  rows: Cell[][];
  before?: Cell[][];
  cut?: boolean;
  isOwnSql?: boolean;
}

const date = (name: string) => ({ name, type: "date" });

/** The published text, or why nothing is published. */
function publish(result: Given, text: string, language: Language = "en"): string {
  const line = { language, today: "2026-11-16", results: [result], text };
  const checked = checkLine(JSON.stringify(line), new Date("2026-11-16"));
  if ("error" in checked) throw new Error(checked.error);
  return checked.published ?? `struck: ${checked.struck.flatMap(({ reasons }) => reasons).join(" ")}`;
}

const tickets: Given = {
  columns: ["id", "status", "is_open", "hours"],
  rows: [
    [1, "open", true, 3],
    [2, "open", true, 5],
    [3, "closed", false, 8],
  ],
};
const products: Given = {
  columns: [date("month"), "product", "revenue"],
  rows: [
    ["2026-09-01", "Kettle", 120],
    ["2026-09-01", "Pan", 40],
    ["2026-10-01", "Kettle", 150],
    ["2026-10-01", "Pan", 30],
    ["2026-11-01", "Kettle", 70],
    ["2026-11-01", "Pan", 10],
  ],
};
const months: Given = {
  columns: [date("month"), "revenue"],
  rows: [
    ["2026-08-01", 90],
    ["2026-09-01", 100],
    ["2026-10-01", 120],
    ["2026-11-01", 40],
  ],
};

describe("a name stands only for the rows that it names", () => {
  test.each(["id<3", "id!=1", "is_open!=true"])("a share of rows with %s has no name", (condition) => {
    expect(publish(tickets, `{{share hours ${condition}}}.`)).toMatch(/^struck: .*named by texts/);
  });

  test("a row is not compared with all rows of a period", () => {
    expect(publish(products, '{{total revenue row=Kettle versus="September 2026"}}.')).toMatch(
      /^struck: .*is a period/,
    );
    expect(publish(products, '{{count row=Kettle versus="September 2026"}}.')).toMatch(/is a period/);
  });

  test("a row that is a period is compared with another one", () => {
    expect(publish(products, '{{total revenue row="October 2026" versus=previous}}.')).toBe(
      "Total revenue in October 2026 was 180 (2 rows), 20 (12.5%) more than in September 2026 (160).",
    );
  });

  test("what is said of the last run says so", () => {
    const earlier = { ...products, before: products.rows };
    expect(publish(earlier, "{{change revenue row=Pan run=last}}.")).toBe(
      'Revenue for "Pan" in the last run fell by 25% from 40 in September 2026 to 30 in October 2026.',
    );
  });

  test("a period and a condition on its dates are not mixed", () => {
    for (const condition of ["month=2026-10", "month>=2026-10"])
      expect(publish(products, `{{count ${condition} period=2026-11 versus=2026-09}}.`)).toMatch(
        /^struck: .*the same dates/,
      );
  });

  test("nothing is compared with itself", () => {
    for (const slot of ["list revenue by=product", "total revenue", "count"])
      expect(publish(products, `{{${slot} period=2026-10 versus=last}}.`)).toMatch(/^struck: .*itself/);
  });

  test("a group is not ranked among periods", () => {
    expect(publish(products, "{{rank revenue by=product period=2026}}.")).toMatch(/^struck: .*Name one row/);
  });

  test("a row is ranked however it is named", () => {
    const published = '"Pan" is number 2 of 2 by revenue in October 2026 (highest first), with 30.';
    expect(publish(products, "{{rank revenue row=Pan period=last}}.")).toBe(published);
    expect(publish(products, "{{rank revenue product=Pan period=last}}.")).toBe(published);
  });

  test("a list that is compared with other rows says with which", () => {
    expect(publish(products, "{{list revenue by=month row=Kettle period=2026-10 versus=Pan}}.")).toBe(
      'Revenue for "Kettle" in October 2026, compared with the value for "Pan": October 2026: 150 (+400%).',
    );
    expect(publish(products, "{{top revenue by=product period=last versus=previous}}.")).toBe(
      '"Kettle" has the highest revenue in October 2026, 150 (+25%), compared with the value in September 2026.',
    );
  });
});

describe("the operation is named", () => {
  test.each<[Language, string, string]>([
    [
      "en",
      '"Kettle" has the highest minimum revenue, 70.',
      '"Kettle" is number 1 of 2 by average revenue (highest first), with 113.33.',
    ],
    [
      "de",
      '"Kettle" hat den höchsten Minimalwert von revenue: 70.',
      '"Kettle" liegt nach Durchschnitt von revenue auf Platz 1 von 2 (höchster Wert zuerst), mit 113,33.',
    ],
    [
      "fr",
      '"Kettle" a la valeur minimale la plus élevée de revenue : 70.',
      '"Kettle" est au rang 1 sur 2 pour la moyenne de revenue (la valeur la plus élevée en tête), avec 113,33.',
    ],
    [
      "es",
      '"Kettle" tiene el valor mínimo más alto de revenue: 70.',
      '"Kettle" ocupa el puesto 1 de 2 por el promedio de revenue (el valor más alto primero), con 113,33.',
    ],
  ])("%s", (language, top, rank) => {
    expect(publish(products, "{{top revenue by=product op=smallest}}.", language)).toBe(top);
    expect(publish(products, "{{rank revenue by=product row=Kettle op=average}}.", language)).toBe(rank);
  });

  test.each(["return_rate", "churn_pct", "customer_id", "jahr", "Klickquote", "taux", "porcentaje"])(
    "%s has no total",
    (name) => {
      const result = { columns: ["team", name], rows: [["Red", 2025] as Cell[], ["Blue", 2026]] };
      expect(publish(result, `{{total "${name}"}}.`)).toMatch(/^struck: .*have no total/);
      expect(publish(result, `{{share "${name}" row=Red}}.`)).toMatch(/^struck: .*have no total/);
    },
  );

  test("the same number in two forms is one value", () => {
    const result = {
      columns: ["team", { name: "points", type: "decimal" }],
      rows: [["Red", "5.0"] as Cell[], ["Blue", "5.00"]],
    };
    expect(publish(result, "{{distinct points}}.")).toBe("There is only 1 value of points.");
    expect(publish(result, "{{groups points}}.")).toBe("Rows by points: points 5.0: 2.");
  });

  test("rows that came or went are not told as if there were none", () => {
    const result: Given = {
      columns: ["country", "revenue"],
      rows: [
        ["France", 500],
        ["Italy", 900],
      ],
      before: [["France", 400]],
    };
    expect(publish(result, "{{movers revenue}}.")).toBe(
      'The only change in revenue in rows of both runs: "France" +100 to 500.',
    );
  });
});

describe("periods", () => {
  test("one that is not over is said to be so wherever it is named", () => {
    expect(publish(months, "{{bottom revenue by=month}}.")).toBe(
      "November 2026 so far has the lowest revenue, 40.",
    );
    expect(publish(months, "{{rank revenue period=current}}.")).toBe(
      "November 2026 so far is number 4 of 4 months by revenue (highest first), with 40.",
    );
    expect(publish(months, "{{list revenue by=month period=2026-Q4}}.")).toBe(
      "Revenue in Q4 2026 so far: October 2026: 120 and November 2026 so far: 40.",
    );
  });

  test("parts that are missing so far are counted", () => {
    expect(publish(months, "{{total revenue period=2026}}.")).toBe(
      "Total revenue in 2026 so far (3 of 10 months) was 350 (4 rows).",
    );
  });

  test("rows of the future are not so far, and nothing has risen to them", () => {
    const plan: Given = {
      columns: [date("month"), "revenue"],
      rows: [
        ["2026-10-01", 100],
        ["2026-11-01", 110],
        ["2026-12-01", 120],
      ],
    };
    expect(publish(plan, "{{total revenue period=2026}}.")).toBe(
      "Total revenue in 2026 (3 of 12 months) is 330 (3 rows).",
    );
    expect(publish(plan, "{{value revenue period=2026-12}}.")).toBe("Revenue in December 2026 is 120.");
    expect(publish(plan, "{{change revenue period=2026-12}}.")).toMatch(/^struck: .*has not begun/);
  });

  test("days that are written as texts are days", () => {
    const days: Given = {
      columns: [{ name: "day", type: "string" }, "signups"],
      rows: [
        ["2026-11-01", 5],
        ["2026-11-02", 7],
      ],
    };
    expect(publish(days, "{{change signups}}.")).toBe(
      "Signups rose by 40% from 5 on 1 November 2026 to 7 on 2 November 2026.",
    );
    expect(publish(days, "{{periods}}.")).toBe("The rows cover 1 November 2026 to 2 November 2026 (2 days).");
  });

  test.each([
    ["monat", "im September 2026 auf 110 im Oktober 2026"],
    ["quartal", "am 1. September 2026 auf 110 am 1. Oktober 2026"],
    ["mes", "im September 2026 auf 110 im Oktober 2026"],
    ["mois", "im September 2026 auf 110 im Oktober 2026"],
  ])("the unit follows from the name %s", (name, periods) => {
    const result = {
      columns: [date(name), "umsatz"],
      rows: [["2026-09-01", 100] as Cell[], ["2026-10-01", 110]],
    };
    expect(publish(result, "{{change umsatz}}.", "de")).toContain(periods);
  });

  test("weeks do not add up to months, and a year before a week is a week", () => {
    const weeks: Given = {
      columns: [date("week"), "signups"],
      rows: [
        ["2025-11-10", 3],
        ["2026-11-02", 5],
        ["2026-11-09", 4],
      ],
    };
    expect(publish(weeks, "{{total signups period=2026-11}}.")).toMatch(/^struck: .*do not add up/);
    expect(publish(weeks, "{{value signups period=last versus=year_before}}.")).toBe(
      "Signups in the week of 9 November 2026 were 4, 1 (33.3%) more than in the week of 10 November 2025 (3).",
    );
  });

  test("the year before a leap day has none", () => {
    const days: Given = {
      columns: [date("day"), "signups"],
      rows: [
        ["2023-03-01", 3],
        ["2024-02-29", 5],
      ],
    };
    expect(publish(days, "{{value signups period=2024-02-29 versus=year_before}}.")).toMatch(/^struck/);
  });

  test("days are those of UTC, and times are ordered by when they were", () => {
    const orders: Given = {
      columns: [{ name: "created_at", type: "timestamp" }, "amount"],
      rows: [
        ["2026-11-01T23:30:00-05:00", 5],
        ["2026-11-02T01:00:00Z", 7],
      ],
    };
    expect(publish(orders, "{{total amount period=2026-11-02}}.")).toBe(
      'Total amount on 2 November 2026 ("created_at") was 12 (2 rows).',
    );
    expect(publish(orders, "{{list amount by=created_at}}.")).toBe("Total amount: 2 November 2026: 12.");
    expect(publish(orders, "{{smallest created_at}}.")).toContain('is "2026-11-02T01:00:00Z"');
    expect(publish(orders, "{{largest created_at}}.")).toContain('is "2026-11-01T23:30:00-05:00"');
  });

  test("rows without a date may be of any time", () => {
    const cases: Given = {
      columns: [date("opened_on"), date("closed_on")],
      rows: [
        ["2026-11-01", "2026-11-10"],
        ["2026-11-02", null],
      ],
    };
    for (const operation of ["latest", "periods", "gaps"])
      expect(publish(cases, `{{${operation} dates=closed_on}}.`)).toMatch(/^struck: .*empty/);
    expect(publish(cases, "{{latest dates=opened_on}}.")).toBe(
      'There are no rows since 2 November 2026 ("opened_on").',
    );
  });

  test("more periods than can be looked at are not counted", () => {
    const days: Given = {
      columns: [date("day"), "signups"],
      rows: [
        ["1500-03-01", 3],
        ["2024-02-29", 5],
      ],
    };
    expect(publish(days, "{{periods}}.")).toMatch(/^struck: .*too many/);
    expect(publish(days, "{{gaps}}.")).toMatch(/^struck: .*too many/);
  });
});

test("of a result that was cut, it is said of which rows a value is", () => {
  const result = {
    columns: ["country", "revenue"],
    rows: [["France", 500] as Cell[], ["Spain", 300]],
    cut: true,
  };
  expect(publish(result, '{{compare revenue row="France" versus="Spain"}}.')).toBe(
    'Revenue for "France" in the first 2 rows is 500, 200 (66.7%) more than for "Spain" (300).',
  );
});

test("an apostrophe that a name could not have is written", () => {
  const result = { columns: ["pays", "chiffre_d_affaires"], rows: [["France", 500] as Cell[]] };
  expect(publish(result, "{{value row=France}}.", "fr")).toBe(
    'La valeur de chiffre d’affaires pour "France" est de 500.',
  );
});

test("names that a model gave are quoted, so that they claim nothing", () => {
  const result = {
    columns: ["country", "revenue_doubled"],
    rows: [["France", 500] as Cell[]],
    isOwnSql: true,
  };
  expect(publish(result, "{{total revenue_doubled row=France}}. {{distinct country}}.")).toBe(
    'By SQL of the model, total "revenue_doubled" for "France" is 500 (1 row). By SQL of the model, there is only 1 value of "country".',
  );
});

test("sentences that are too many are struck, not forgotten", () => {
  const text = Array.from({ length: 25 }, () => "{{count}}.").join(" ");
  const line = JSON.stringify({ language: "en", results: [tickets], text });
  const checked = checkLine(line, new Date("2026-11-16"));
  expect(checked).toMatchObject({
    struck: [{ text: text.slice(-54), reasons: ["There are more than 20 sentences."] }],
  });
});

describe("marks and small words are those of the language", () => {
  test.each<[Language, string, string]>([
    ["en", "Further {{count}}.", "Further, there are 3 rows."],
    ["en", "Key figures {{count}}.", "Key figures: there are 3 rows."],
    [
      "en",
      "The data shows {{count}} as well as {{count}}.",
      "The data shows: there are 3 rows and there are 3 rows.",
    ],
    [
      "en",
      "The data shows that {{groups status}}.",
      'The data shows: rows by status: 2 "open" and 1 "closed".',
    ],
    ["de", "Laut den Daten, {{count}}.", "Laut den Daten: es gibt 3 Zeilen."],
    ["de", "{{count}} außerdem {{count}}.", "Es gibt 3 Zeilen; außerdem: es gibt 3 Zeilen."],
    ["de", "{{count}} sowie {{count}}.", "Es gibt 3 Zeilen und es gibt 3 Zeilen."],
    ["fr", "Le rapport montre que {{count}}.", "Le rapport montre qu’il y a 3 lignes."],
    ["fr", "Il montre qu' {{total hours}}.", "Il montre que le total de hours est de 16 (3 lignes)."],
    ["fr", "En bref: {{count}}, {{count}}.", "En bref : il y a 3 lignes, il y a 3 lignes."],
    ["es", "También {{count}} así como {{count}}.", "También, hay 3 filas y hay 3 filas."],
  ])("%s: %s", (language, text, published) => {
    expect(publish(tickets, text, language)).toBe(published);
  });

  const cases: Given = {
    columns: [date("ouverture"), "id", "heures", "commandes"],
    rows: [
      ["2026-11-01", 1, 4, 10],
      ["2026-11-03", 2, 5, 20],
    ],
    before: [["2026-11-01", 1, 2, 5]],
  };
  test.each<[Language, string, string]>([
    ["fr", "{{total heures}}.", "Le total d’heures est de 9 (2 lignes)."],
    [
      "fr",
      "{{count ouverture>2026-11-01}}.",
      "Il y a 1 ligne avec ouverture après le 1er novembre 2026 (sur 2).",
    ],
    ["fr", "{{count heures<5}}.", "Il y a 1 ligne avec une valeur d’heures inférieure à 5 (sur 2)."],
    ["fr", "{{latest}}.", "Il n’y a pas de lignes depuis le 3 novembre 2026 (ouverture)."],
    [
      "fr",
      "{{periods}}.",
      "Les lignes vont du 1er novembre 2026 au 3 novembre 2026 (ouverture) (2 sur 3 jours).",
    ],
    [
      "fr",
      "{{change commandes id=1 since=last_run}}.",
      "La valeur de commandes pour id 1 a augmenté de 100\u00a0%, de 5 lors de la dernière exécution à 10 lors de cette exécution.",
    ],
    [
      "es",
      "{{change commandes id=1 since=last_run}}.",
      "El valor de commandes para id 1 subió un 100 %, de 5 en la última ejecución a 10 en esta ejecución.",
    ],
    [
      "es",
      "{{count ouverture>=2026-11-01}}.",
      "Hay 2 filas con ouverture a partir del 1 de noviembre de 2026 (de 2).",
    ],
    ["es", "{{top commandes by=id n=2}}.", "Los 2 valores más altos de commandes son id 2: 20 e id 1: 10."],
    [
      "de",
      "{{count ouverture<2026-11-03}}.",
      "Es gibt 1 Zeile mit ouverture vor dem 3. November 2026 (von 2).",
    ],
    [
      "de",
      "{{periods}}.",
      "Die Zeilen reichen vom 1. November 2026 bis zum 3. November 2026 (ouverture) (2 von 3 Tagen).",
    ],
    ["de", "{{gaps}}.", "Es gibt keine Zeilen für den 2. November 2026 (ouverture)."],
    ["de", "{{smallest ouverture}}.", "Der früheste Wert von ouverture ist der 1. November 2026."],
    [
      "en",
      "{{count commandes>=10 heures<5}}.",
      "There is 1 row with commandes of at least 10 and with heures below 5 (of 2).",
    ],
    ["en", "{{largest commandes}}.", "The highest value of commandes is 20."],
  ])("%s: %s", (language, text, published) => {
    expect(publish(cases, text, language)).toBe(published);
  });
});
