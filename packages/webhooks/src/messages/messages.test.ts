import fc from "fast-check";
import { expect, test } from "vitest";
import { toDiscordMessage } from "./discord.ts";
import { toMail } from "./mail.ts";
import type { Message } from "./message.ts";
import { toSlackMessage } from "./slack.ts";
import { toTeamsMessage } from "./teams.ts";
import { DiscordMessage } from "./testing/discord-limits.ts";
import { SlackMessage } from "./testing/slack-limits.ts";
import { TeamsMessage } from "./testing/teams-limits.ts";

const message: Message = {
  outcome: "completed",
  title: "Revenue by month",
  text: "Revenue rose by 12 % to 1,204.50 € (2*3*4).\nOrders: 31.",
  notes: [],
  url: "https://querybell.example/chats/abc",
  organization: "Acme",
  at: new Date("2026-11-18T09:00:00Z"),
  tables: [],
  mailReason: "An admin has added this address.",
};

const table = {
  title: "Orders by country",
  columns: ["country", "orders"],
  rows: [
    ["Norway", "31"],
    ["A country whose name is very, very long", "4"],
  ],
  rowCount: 12,
  columnCount: 3,
};

const pictureUrl = `https://pages.example/p/pictures/${"A".repeat(32)}.png`;

const places = {
  slack: { toMessage: toSlackMessage, Limits: SlackMessage },
  teams: { toMessage: toTeamsMessage, Limits: TeamsMessage },
  // Its pictures are files beside the message.
  discord: { toMessage: (made: Message) => toDiscordMessage(made), Limits: DiscordMessage },
};

/** Texts that are long, or full of what a place reads as markup. */
const text = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }),
  fc
    .tuple(
      fc.constantFrom("<", "&", "*", "\\", "@everyone ", "<!channel>", "\u0001", '"', "😀", "é", "\n", "1. "),
      fc.nat(30_000),
    )
    .map(([unit, times]) => `x${unit.repeat(times)}`),
);

test.each(Object.entries(places))("every message to %s is within its limits", (_, { toMessage, Limits }) => {
  const messages = fc.record({
    outcome: fc.constantFrom("completed", "failed", "met", "resolved", "test"),
    title: text,
    text,
    notes: fc.array(text, { maxLength: 2 }),
    url: fc.constantFrom(null, message.url),
    organization: text,
    at: fc.constant(message.at),
    mailReason: fc.constant(message.mailReason),
    tables: fc.array(
      fc.record({
        title: text,
        columns: fc.array(text, { minLength: 6, maxLength: 6 }),
        rows: fc.array(fc.array(text, { minLength: 6, maxLength: 6 }), { maxLength: 10 }),
        rowCount: fc.nat(),
        columnCount: fc.nat(),
      }),
      { maxLength: 3 },
    ),
  });
  const pictures = fc.array(fc.record({ title: text, url: fc.constant(pictureUrl) }), { maxLength: 3 });
  fc.assert(
    fc.property(messages, pictures, (made, linked) => {
      Limits.parse(JSON.parse(JSON.stringify(toMessage(made, linked))));
    }),
    { numRuns: 30 },
  );
});

test.each(Object.entries(places))("a text that is too long for %s is cut visibly", (_, { toMessage }) => {
  const isCut = (text: string) => / … \\{0,2}\(cut/.test(JSON.stringify(toMessage({ ...message, text })));
  expect([isCut("word ".repeat(10_000)), isCut(message.text)]).toEqual([true, false]);
});

test("a text cannot mention a channel or add a link in Slack", () => {
  const { blocks } = toSlackMessage({ ...message, title: "<!channel> & <https://evil.test|safe>" });
  expect(blocks[0]).toMatchObject({
    text: { text: "&lt;!channel&gt; &amp; &lt;https://evil.test|safe&gt;", type: "plain_text" },
  });
});

test("a text cannot mention people, format or link in Discord", () => {
  const [embed] = toDiscordMessage({
    ...message,
    text: "@everyone **bold** [safe](https://evil.test)\n1. one",
  }).embeds;
  expect(embed).toHaveProperty(
    "description",
    "\\@everyone \\*\\*bold\\*\\* \\[safe\\]\\(https\\://evil.test\\)\n1\\. one",
  );
});

test("Teams shows every line of a text as it was written", () => {
  const [attachment] = toTeamsMessage({ ...message, text: "**a**\n\n- b" }).attachments;
  const lines = attachment?.content.body.map((block) => ("inlines" in block ? block.inlines[0].text : null));
  expect(lines).toEqual(["Revenue by month", "**a**", "- b", "Run completed · Querybell, Acme"]);
});

test("values are shown in columns, and what is left out is said", () => {
  const [embed] = toDiscordMessage({ ...message, tables: [table] }).embeds;
  expect(embed).toMatchObject({
    fields: [
      {
        name: "Orders by country \\(2 of 12 rows, 2 of 3 columns\\)",
        value: `\`\`\`
country                   orders
Norway                        31
A country whose name is…       4
\`\`\``,
      },
    ],
  });
});

test("values in a mail are a table, and pictures are beside it", () => {
  const {
    html,
    text: plain,
    attachments,
  } = toMail(
    { ...message, tables: [table] },
    {
      pictures: [{ title: "Orders <now>", png: new Uint8Array([1]) }],
      files: [{ name: "Orders.csv", contentType: "text/csv; charset=utf-8", content: new Uint8Array([2]) }],
    },
  );
  expect(html).toContain('<img src="cid:chart-1@querybell" alt="Orders &lt;now&gt;"');
  expect(html).toContain(">A country whose name is very, very long</td>");
  expect(plain).toContain("Norway                        31");
  expect(attachments).toMatchObject([
    { filename: "chart-1.png", cid: "chart-1@querybell" },
    { filename: "Orders.csv", contentType: "text/csv; charset=utf-8" },
  ]);
});

test("Slack and Teams open pictures by their addresses", () => {
  const pictures = [{ title: "Orders <now>", url: pictureUrl }];
  expect(toSlackMessage(message, pictures).blocks).toContainEqual({
    type: "image",
    image_url: pictureUrl,
    alt_text: "Orders <now>",
  });
  expect(toTeamsMessage(message, pictures).attachments[0]?.content.body).toContainEqual({
    type: "Image",
    url: pictureUrl,
    altText: "Orders <now>",
    size: "Stretch",
  });
});
