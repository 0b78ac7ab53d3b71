import { newId } from "@querybell/domain";
import { waitUntilBlocked, whileOtherTransaction } from "@querybell/webhooks/testing";
import { describe, expect } from "vitest";
import { startApi } from "../testing/api-test.ts";
import { sendUpload } from "../testing/send-upload.ts";
import { uploadTest, withLimits } from "../testing/upload-test.ts";

const limits = { maxFileBytes: 1_000, quotaBytes: 2_500 };

const test = uploadTest.extend(
  "startSender",
  { scope: "file" },
  async ({ deps, make, uploads }, { onCleanup }) => {
    const api = await startApi({ deps: withLimits(deps, limits) });
    onCleanup(() => api[Symbol.asyncDispose]());
    const toAnswer = async (response: Response) => [response.status, await response.json()];
    /** A new organization, with functions that send this many bytes and return the answer. */
    return async () => {
      const owner = await make.owner();
      const headers = await uploads.keyOf(owner);
      const content = (bytes: number) => "1".repeat(bytes);
      return {
        owner,
        send: async (bytes: number) => toAnswer(await sendUpload(api, { content: content(bytes), headers })),
        /** Without saying the size in advance. */
        async stream(bytes: number) {
          const body = new Blob([content(bytes)]).stream();
          const request = { method: "POST", headers, body, duplex: "half" } as RequestInit;
          return toAnswer(await api.fetch("/api/uploads?name=a.csv", request));
        },
      };
    };
  },
);

const accepted = [201, {}];
const tooLarge = [413, { code: "payload_too_large" }];
const overQuota = [413, { code: "quota_exceeded" }];

describe("an upload is accepted up to the last byte, and not one byte more,", () => {
  test("of the size that a file may have", async ({ startSender }) => {
    const { send, stream } = await startSender();
    expect(await send(1_001)).toMatchObject(tooLarge);
    expect(await stream(1_001)).toMatchObject(tooLarge);
    expect(await send(1_000)).toMatchObject(accepted);
    expect(await stream(1_000)).toMatchObject(accepted);
  });

  test("of the organization's quota", async ({ startSender }) => {
    const { send, stream } = await startSender();
    expect([await send(1_000), await send(1_000)]).toMatchObject([accepted, accepted]);
    expect(await send(501)).toMatchObject(overQuota);
    expect(await stream(501)).toMatchObject(overQuota);
    expect(await send(499)).toMatchObject(accepted);
    expect(await stream(1)).toMatchObject(accepted);
    expect(await stream(1), "nothing is left").toMatchObject(overQuota);
    expect(await send(1), "nothing is left").toMatchObject(overQuota);
  });
});

test("of one organization at most 20 files wait to be imported", async ({ startSender }) => {
  const { send } = await startSender();
  for (let count = 0; count < 20; count++) expect(await send(2)).toMatchObject(accepted);
  expect(await send(2)).toMatchObject([409, { code: "conflict" }]);
  const other = await startSender();
  expect(await other.send(2)).toMatchObject(accepted);
});

test("an upload waits for another that reserves its size, and counts it", async ({
  startSender,
  deps,
  clock,
}) => {
  const { owner, send } = await startSender();
  const reserving = {
    has: `
      WITH store AS MATERIALIZED (SELECT FROM upload_stores WHERE organization_id = $2 FOR UPDATE)
      INSERT INTO uploads (id, organization_id, created_by, file_name, format, bytes, created_at, expires_at)
      SELECT $1, $2, $3, 'other.csv', 'csv', $4, $5, $5::timestamptz + interval '1 minute' FROM store`,
    values: [newId(clock), owner.organizationId, owner.userId, limits.quotaBytes, clock.now()],
  };
  let sending: ReturnType<typeof send> | undefined;
  await whileOtherTransaction(deps.db.pool, reserving, async () => {
    sending = send(1_000);
    await waitUntilBlocked(deps.db.pool, sending);
  });
  expect(await sending).toMatchObject(overQuota);
});
