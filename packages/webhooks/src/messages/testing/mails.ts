import { toMail } from "../mail.ts";
import type { Message } from "../message.ts";

const message: Message = {
  outcome: "completed",
  title: "Revenue by month",
  text: "Revenue in October 2026 was 2.36 M, 5.4% more than in September 2026.\nOrders: 31.",
  notes: [],
  url: "https://querybell.example/chats/abcdefghjk",
  organization: "Acme",
  at: new Date("2026-11-18T09:00:00Z"),
  tables: [],
  mailReason: "An admin of Querybell has added this address as a destination. To stop these mails, ask them.",
};

const table = {
  title: "Orders by country",
  columns: ["country", "orders", "revenue", "first order", "last order", "account manager"],
  rows: [
    ["Norway", "31", "12345678901234567890.10", "2026-01-04", "2026-10-31", "Anna Karlsen"],
    ["Germany", "4", "1204.50", "2026-02-11", "2026-10-29", "bernhard.oberhuber@example.test"],
    ["A country whose name is so long that it is written in more than one line", "", "", "", "", ""],
  ],
  rowCount: 12,
  columnCount: 9,
};

const narrow = {
  title: "Orders by country",
  columns: ["country", "orders", "revenue"],
  rows: [
    ["Norway", "31", "12345.10"],
    ["United Kingdom", "4", "-120.50"],
  ],
  rowCount: 2,
  columnCount: 3,
};

const records = {
  title: "Teams",
  columns: ["team", "lead", "since", "customers", "city"],
  rows: [
    ["North", "Anna Karlsen", "2026-01-04", "31", "Oslo"],
    ["South", "Ben Weber", "2026-02-11", "4", ""],
  ],
  rowCount: 2,
  columnCount: 5,
};

/** Each kind of mail that a destination gets, with a picture that the caller gives. */
export const mails = (png: Uint8Array) => ({
  summary: toMail({ ...message, tables: [table] }, { pictures: [{ title: "Orders", png }] }),
  "failed run": toMail({
    ...message,
    outcome: "failed",
    text: '"Orders" could not be run: permission denied.',
  }),
  "condition met": toMail({
    ...message,
    outcome: "met",
    text: "The sum of revenue is 940, compared with 1000, a difference of 60, 6 %.",
    notes: ["it was told before, and still holds"],
    tables: [narrow, records],
  }),
  "condition resolved": toMail({ ...message, outcome: "resolved", text: "The sum of revenue is 1040." }),
  "rows of one recipient": toMail(
    {
      ...message,
      text: "2 rows of “Customers” for anna@example.test.",
      url: null,
      tables: [{ ...table, title: "Customers", rowCount: 3, columnCount: 6 }],
      mailReason: "You get this mail because a row of “Customers” names anna@example.test.",
    },
    { files: [{ name: "Customers.csv", contentType: "text/csv", content: Buffer.from("a") }] },
  ),
  test: toMail({ ...message, outcome: "test", text: "Messages arrive here.", url: null }),
});
