import { caniemail } from "caniemail";
import { expect, test } from "vitest";
import { toMail } from "./mail.ts";
import { mails } from "./testing/mails.ts";

const kinds = mails(new Uint8Array([1]));

test.each(Object.entries(kinds))(
  "Outlook, Gmail and Apple Mail support all that a mail uses: %s",
  (_, { html }) => {
    const { issues } = caniemail({ clients: ["outlook.*", "gmail.*", "apple-mail.*"], html });
    expect(Object.fromEntries(issues.errors)).toEqual({});
  },
);

test("what they do not support is found", () => {
  const { success } = caniemail({ clients: ["outlook.*"], html: '<div style="display:flex">a</div>' });
  expect(success).toBe(false);
});

test("a table that is too wide for a phone is a list of names and values, whose long words are cut", () => {
  expect(kinds.summary.html).toMatch(/country<\/span><br>Norway</);
  expect(kinds["condition met"].html).toMatch(/<th align="right"[^>]*>orders<\/th>/);
  const word = "x".repeat(100);
  const table = { title: "T", columns: ["a"], rows: [[word]], rowCount: 1, columnCount: 1 };
  const { html, text } = toMail({
    ...{ outcome: "completed", title: "T", text: "", notes: [], url: null, organization: "Acme" },
    ...{ at: new Date(), tables: [table], mailReason: "" },
  });
  expect(html).toContain(`${"x".repeat(39)}…<`);
  expect(text).toContain("xxx…");
});
