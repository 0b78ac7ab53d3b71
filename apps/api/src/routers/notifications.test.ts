import { notify } from "@querybell/core/testing";
import { describe, expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";

describe("notifications", () => {
  apiTest("arrive live over server-sent events", async ({ api, make, deps }) => {
    const owner = await make.owner();
    await notify(deps, owner);
    const cookie = await api.sessionCookie(owner.email);
    const stopped = new AbortController();
    const answer = await api.fetch("/api/trpc/notifications.watch", {
      headers: { cookie, accept: "text/event-stream" },
      signal: stopped.signal,
    });
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    const news = readEvents(answer);
    expect((await news.next()).value).toEqual({ unread: 1, arrived: [] });
    const id = await notify(deps, owner, { failures: 3 });
    expect((await news.next()).value).toMatchObject({
      unread: 2,
      arrived: [{ id, detail: { failures: 3 } }],
    });
    stopped.abort();
  });

  apiTest("are for people alone, not for keys", async ({ api, make, makeKey }) => {
    const { key } = await makeKey(await make.owner());
    await expect(api.withKey(key).notifications.unread.query()).rejects.toThrow(/Sign in/);
  });
});

/** The data of each message that is one of ours, as the browser's EventSource would give it. */
async function* readEvents(answer: Response): AsyncGenerator<unknown> {
  let text = "";
  for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const messages = text.split("\n\n");
    text = messages.pop() ?? "";
    for (const message of messages) {
      const data = message.match(/^data: (.*)$/m)?.[1];
      if (data && !/^event: /m.test(message)) yield JSON.parse(data);
    }
  }
}
