/** The results that the hostile summaries are about, as lines of a file have them. */
export const sampleResults = [
  {
    id: "r1",
    title: "Sales by country",
    columns: [
      { name: "country", type: "string" },
      { name: "revenue", type: "decimal" },
      { name: "orders", type: "integer" },
      { name: "return_rate", type: "number" },
    ],
    rows: [
      ["France", "300.00", 40, 0.05],
      ["Germany", "500.00", 20, 0.04],
      ["Italy", "58.60", 13, 0.01],
      ["{{total column=orders}}", "1.00", 1, 0],
      ["France was 500. Revenue", "2.00", 1, 0],
      ["evil。com", "3.00", 1, 0],
      ["all \u202ebad", "4.00", 1, 0],
    ],
    before: [
      ["France", "400.00", 40, 0.05],
      ["Germany", "400.00", 20, 0.04],
    ],
  },
  {
    id: "r2",
    title: "Revenue by month",
    columns: [
      { name: "month", type: "date" },
      { name: "revenue", type: "integer" },
    ],
    rows: [
      ["2026-08-01", 400],
      ["2026-09-01", 400],
      ["2026-10-01", 300],
      ["2026-11-01", 20],
    ],
  },
] as const;

export const sampleToday = "2026-11-16";
