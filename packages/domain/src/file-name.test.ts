import { expect, test } from "vitest";
import { toDownloadName } from "./file-name.ts";

const at = "2026-09-14T10:00:00.000Z";

test.each([
  ["Revenue by month", "Revenue by month 2026-09-14.png"],
  ['A/B: "x" <y>\n..', "A B x y 2026-09-14.png"],
  ["../../etc/passwd", "etc passwd 2026-09-14.png"],
  [" \u202e ", "result 2026-09-14.png"],
  ["Umsatz – größer", "Umsatz – größer 2026-09-14.png"],
])("%j is downloaded as %j", (title, name) => {
  expect(toDownloadName(title, at, ".png")).toBe(name);
});
