import { describe, expect, test } from "vitest";
import { UpdateEmbeddingKey } from "./embedding.ts";

const isAccepted = (origin: string): boolean =>
  UpdateEmbeddingKey.safeParse({ id: "01890a5d-ac96-774b-bcce-b302099a8057", origins: [origin] }).success;

describe("the origin of a site", () => {
  test.for([
    "https://app.example.com",
    "https://a.example:8443",
    "https://xn--bcher-kva.example",
    "http://localhost:3000",
  ])("%s is accepted", (origin) => expect(isAccepted(origin)).toBe(true));

  test.for([
    ...["https://*", "https://*.example.com", "https://a;b", "https://a,b", "https://a'b", "https://a b"],
    ...[
      "https://a.example/",
      "https://A.example",
      "https://u@a.example",
      "http://a.example",
      "https://bücher.example",
    ],
  ])("%s is refused", (origin) => expect(isAccepted(origin)).toBe(false));
});
