import { expect, test } from "vitest";
import { SendUpload } from "./uploads.ts";

test.for([
  ["3", 3],
  ["0", 0],
  ["", undefined],
  ["1e2", undefined],
  ["-1", undefined],
  ["1001", undefined],
] as const)("the parameter header=%s of an upload is %s", ([header, read]) => {
  expect(SendUpload.safeParse({ name: "a.csv", header }).data?.header).toBe(read);
});
