import type { CreateOptimisticReference, DateRange, ParameterDefinition } from "@querybell/domain";

type SampleQuery = { sql: string; title: string; ranges?: DateRange[] } & CreateOptimisticReference;

const until: ParameterDefinition = {
  name: "until",
  displayName: "Until",
  type: "date",
  defaultValue: "today",
  description: "The day after the last, such as today or 2026-01-01",
};

const margins = { top: 16, right: 24, bottom: 8, left: 8 };

/** The queries of the sample shop, in the order in which they are created. Lists show the newest first. */
export const sampleQueries: SampleQuery[] = [
  {
    title: "Price and demand",
    description: "Every product: does what costs less sell more?",
    sql: `SELECT p.name AS product, p.price, sum(i.quantity)::INTEGER AS sold
FROM products p JOIN order_items i ON i.product_id = p.id
GROUP BY ALL
ORDER BY p.price`,
    visualization: {
      type: "scatter",
      jsxConfig: `<ScatterChart>
  <CartesianGrid strokeDasharray="3 3" vertical={false} horizontal={true} />
  <XAxis dataKey="price" type="number" label="Price" />
  <YAxis label="Sold" />
  <Tooltip />
  <Scatter dataKey="sold" name="Products" fill="#c2573a" />
</ScatterChart>`,
      marginConfig: margins,
    },
  },
  {
    title: "Average order",
    description: "What an order of the last 30 days was worth, beside the 30 days before.",
    sql: `SELECT
  round(avg(total) FILTER (WHERE ordered_at >= {{until}}::DATE - 30), 2)::DECIMAL(12, 2) AS average,
  round(avg(total) FILTER (WHERE ordered_at < {{until}}::DATE - 30), 2)::DECIMAL(12, 2) AS before
FROM orders
WHERE status <> 'cancelled' AND ordered_at >= {{until}}::DATE - 60 AND ordered_at < {{until}}`,
    parameters: [until],
    visualization: {
      type: "number",
      jsxConfig: `<Number dataKey="average" label="Average order" decimals={2} compareTo="before" />`,
      marginConfig: margins,
    },
  },
  {
    title: "Customers by region",
    description: "Where the customers of the shop live.",
    sql: `SELECT n.region, count(*)::INTEGER AS customers
FROM customers c JOIN countries n ON n.code = c.country_code
GROUP BY ALL
ORDER BY customers DESC`,
    visualization: {
      type: "pie",
      jsxConfig: `<PieChart>
  <Pie dataKey="customers" nameKey="region" innerRadius="55%" label={true} />
  <Tooltip />
  <Legend />
</PieChart>`,
      marginConfig: margins,
    },
  },
  {
    title: "Revenue by category",
    description: "How the categories add up, month by month over two years.",
    sql: `SELECT date_trunc('month', o.ordered_at)::DATE AS month,
  sum(i.quantity * i.unit_price) FILTER (WHERE p.category = 'Kitchen') AS kitchen,
  sum(i.quantity * i.unit_price) FILTER (WHERE p.category = 'Garden') AS garden,
  sum(i.quantity * i.unit_price) FILTER (WHERE p.category = 'Office') AS office,
  sum(i.quantity * i.unit_price) FILTER (WHERE p.category = 'Outdoor') AS outdoor,
  sum(i.quantity * i.unit_price) FILTER (WHERE p.category = 'Toys') AS toys
FROM orders o
JOIN order_items i ON i.order_id = o.id
JOIN products p ON p.id = i.product_id
WHERE o.status <> 'cancelled' AND o.ordered_at < {{until}}
GROUP BY 1
ORDER BY 1`,
    parameters: [{ ...until, defaultValue: "month_start" }],
    visualization: {
      type: "area",
      jsxConfig: `<AreaChart>
  <CartesianGrid strokeDasharray="3 3" vertical={false} horizontal={true} />
  <XAxis dataKey="month" />
  <YAxis />
  <Tooltip />
  <Legend />
  <Area dataKey="kitchen" stackId="all" stroke="#2f8f5f" fill="#2f8f5f" fillOpacity={0.25} />
  <Area dataKey="garden" stackId="all" stroke="#8aa33b" fill="#8aa33b" fillOpacity={0.25} />
  <Area dataKey="office" stackId="all" stroke="#3b6fb5" fill="#3b6fb5" fillOpacity={0.25} />
  <Area dataKey="outdoor" stackId="all" stroke="#c2573a" fill="#c2573a" fillOpacity={0.25} />
  <Area dataKey="toys" stackId="all" stroke="#d79a22" fill="#d79a22" fillOpacity={0.25} />
</AreaChart>`,
      marginConfig: margins,
    },
  },
  {
    title: "Find customers",
    description: "A placeholder inside a text: part of a name, in any case.",
    visualization: {
      type: "table",
      jsxConfig: "",
      marginConfig: margins,
    },
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
  <YAxis dataKey="product" type="category" width={140} />
  <Tooltip />
  <Bar dataKey="revenue" fill="#2f8f5f" />
</BarChart>`,
      marginConfig: margins,
    },
  },
  {
    title: "Orders of the last seven days",
    description: "How many orders came in each day, by channel.",
    sql: `SELECT ordered_at::DATE AS day,
  count(*) FILTER (WHERE channel = 'web')::INTEGER AS web,
  count(*) FILTER (WHERE channel = 'app')::INTEGER AS app,
  count(*) FILTER (WHERE channel = 'store')::INTEGER AS store
FROM orders
WHERE ordered_at >= {{until}}::DATE - 7 AND ordered_at < {{until}}
GROUP BY 1
ORDER BY 1`,
    parameters: [until],
    visualization: {
      type: "bar",
      jsxConfig: `<BarChart>
  <CartesianGrid strokeDasharray="3 3" vertical={false} horizontal={true} />
  <XAxis dataKey="day" />
  <YAxis />
  <Tooltip />
  <Legend />
  <Bar dataKey="web" stackId="all" fill="#2f8f5f" />
  <Bar dataKey="app" stackId="all" fill="#c2573a" />
  <Bar dataKey="store" stackId="all" fill="#3b6fb5" />
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
    ranges: [{ displayName: "Period", start: "since", end: "until", includesEnd: false }],
    visualization: {
      type: "line",
      jsxConfig: `<LineChart>
  <CartesianGrid strokeDasharray="3 3" vertical={false} horizontal={true} />
  <XAxis dataKey="month" />
  <YAxis />
  <Tooltip />
  <Legend />
  <Line dataKey="web" stroke="#2f8f5f" dot={false} strokeWidth={2} />
  <Line dataKey="app" stroke="#c2573a" dot={false} strokeWidth={2} />
  <Line dataKey="store" stroke="#3b6fb5" dot={false} strokeWidth={2} />
</LineChart>`,
      marginConfig: margins,
    },
  },
];
