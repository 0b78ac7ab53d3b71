import { expect, test } from "vitest";
import { attachmentNamed, toFileName } from "./file-name.ts";

const at = "2026-09-14T10:00:00.000Z";

test.each([
  ["Revenue by month", "Revenue by month 2026-09-14.png"],
  ['A/B: "x" <y>\n..', "A B x y 2026-09-14.png"],
  ["../../etc/passwd", "etc passwd 2026-09-14.png"],
  [" \u202e ", "result 2026-09-14.png"],
  ["Umsatz – größer", "Umsatz – größer 2026-09-14.png"],
])("%j is downloaded as %j", (title, name) => {
  expect(toFileName(title, at, ".png")).toBe(name);
});

test("a name in other letters is sent in both forms", () => {
  expect(attachmentNamed("a b.png")).toBe('attachment; filename="a b.png"');
  expect(attachmentNamed("größer (1).png")).toBe(
    "attachment; filename=\"gr__er (1).png\"; filename*=UTF-8''gr%C3%B6%C3%9Fer%20%281%29.png",
  );
});
