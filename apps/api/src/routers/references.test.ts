import { expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

const parameters = [
  { name: "since", displayName: "Since", type: "date" as const, defaultValue: "today-7d", description: "" },
];

apiTest("changes of a reference that its schema does not allow are refused", async ({ api, make }) => {
  const owner = await make.owner();
  const client = await api.signedIn(owner);
  const { shortId, currentQuery } = await make.reference(owner, "SELECT 1");
  const refusedChanges: object[] = [
    { title: " " },
    { title: "NUL \0" },
    { description: "half \ud83d" },
    { parameters: [{ ...parameters[0], displayName: "\0" }] },
    { shortId: "\0" },
    { title: "x".repeat(201) },
    { description: "x".repeat(2001) },
    { queryId: currentQuery?.id },
    { parameters: [...parameters, ...parameters] },
  ];
  for (const change of refusedChanges) {
    await expect(client.references.update.mutate({ shortId, ...change })).rejects.toEqual(
      apiError("invalid_request"),
    );
  }
});
