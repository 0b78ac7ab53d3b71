import type { CreateOptimisticReference } from "@querybell/domain";

type DemoQuery = { sql: string; title: string } & CreateOptimisticReference;

const margins = { top: 16, right: 24, bottom: 24, left: 48 };

/** What a newcomer can run at once. The newest is listed first. */
export const demoQueries: DemoQuery[] = [
  {
    title: "Find customers",
    description: "A placeholder inside a text: part of a name, in any case.",
    sql: `SELECT c.id, c.name, c.email, n.name AS country, c.signed_up_on
FROM customers c JOIN countries n ON n.code = c.country_code
WHERE c.name ILIKE '%{{name}}%'
ORDER BY c.name, c.id
LIMIT 100`,
    parameters: [
      {
        name: "name",
        displayName: "Name contains",
        type: "string",
        defaultValue: "okafor",
        description: "Part of the customer's name",
      },
    ],
  },
  {
    title: "Best sellers by country",
    description: "A list as a parameter: the products that bring in most in some countries.",
    sql: `SELECT p.name AS product, p.category, sum(i.quantity) AS sold, sum(i.quantity * i.unit_price) AS revenue
FROM orders o
JOIN customers c ON c.id = o.customer_id
JOIN order_items i ON i.order_id = o.id
JOIN products p ON p.id = i.product_id
WHERE c.country_code IN ({{countries}}) AND o.status <> 'cancelled'
GROUP BY ALL
ORDER BY revenue DESC
LIMIT 20`,
    parameters: [
      {
        name: "countries",
        displayName: "Countries",
        type: "string[]",
        defaultValue: "DE,FR",
        description: "Two-letter codes",
      },
    ],
    visualization: {
      type: "bar",
      jsxConfig: `<BarChart layout="vertical">
  <XAxis type="number" />
  <YAxis dataKey="product" type="category" width={160} />
  <Tooltip />
  <Bar dataKey="revenue" fill="#2f6f4f" />
</BarChart>`,
      marginConfig: margins,
    },
  },
  {
    title: "Revenue by month",
    description: "What the shop took in between two days, by month and channel.",
    sql: `SELECT date_trunc('month', ordered_at)::DATE AS month,
  sum(total) AS revenue,
  sum(total) FILTER (WHERE channel = 'web') AS web,
  sum(total) FILTER (WHERE channel = 'app') AS app,
  sum(total) FILTER (WHERE channel = 'store') AS store
FROM orders
WHERE status <> 'cancelled' AND ordered_at >= {{since}} AND ordered_at < {{until}}
GROUP BY 1
ORDER BY 1`,
    parameters: [
      {
        name: "since",
        displayName: "Since",
        type: "date",
        defaultValue: "month_start-12m",
        description: "The first day, such as 2026-01-01 or month_start-12m",
      },
      {
        name: "until",
        displayName: "Until",
        type: "date",
        defaultValue: "month_start",
        description: "The day after the last: month_start leaves out the month that is not over",
      },
    ],
    visualization: {
      type: "line",
      jsxConfig: `<LineChart>
  <CartesianGrid strokeDasharray="3 3" />
  <XAxis dataKey="month" />
  <YAxis />
  <Tooltip />
  <Legend />
  <Line dataKey="web" stroke="#2f6f4f" dot={false} />
  <Line dataKey="app" stroke="#b5532d" dot={false} />
  <Line dataKey="store" stroke="#3b5b92" dot={false} />
</LineChart>`,
      marginConfig: margins,
    },
  },
];
