import { expect, test } from "vitest";
import { attachmentNamed } from "./file-name.ts";

test("a name in other letters is sent in both forms", () => {
  expect(attachmentNamed("a b.png")).toBe('attachment; filename="a b.png"');
  expect(attachmentNamed("größer (1).png")).toBe(
    "attachment; filename=\"gr__er (1).png\"; filename*=UTF-8''gr%C3%B6%C3%9Fer%20%281%29.png",
  );
});
