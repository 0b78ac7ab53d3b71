import { z } from "zod";
import type { Answer, Answers } from "./answers.ts";
import type { Fleet } from "./fleet.ts";
import type { World } from "./world.ts";

const Data = z.object({ result: z.object({ data: z.unknown() }) });

/** Calls of one organization, by its key or by its signed-in owner, to both apis in turns. */
export function createCalls(answers: Answers, { apis }: Pick<Fleet, "apis">, world: World) {
  let turn = 0;
  let cookie: string | undefined;
  const next = () => apis[turn++ % apis.length] ?? { url: "", isSteady: false };
  const send = (request: Parameters<Answers["send"]>[1]) => {
    const { url, isSteady } = next();
    return answers.send(url, request, isSteady);
  };
  const withKey = { authorization: `Bearer ${world.key}`, "content-type": "application/json" };

  async function signIn(): Promise<void> {
    const { url } = next();
    const { email, password } = world;
    const headers = { "content-type": "application/json", origin: world.publicUrl };
    const body = JSON.stringify({ email, password });
    const response = await fetch(`${url}/api/auth/sign-in/email`, { method: "POST", headers, body }).catch(
      () => undefined,
    );
    if (!response?.ok) return;
    cookie = response.headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");
  }

  /** The data of an answer, if it is the expected one. Undefined for a refusal and for no answer. */
  const read = <Schema extends z.ZodType>(answer: Answer, schema: Schema): z.infer<Schema> | undefined =>
    answer.kind === "done" ? schema.parse(Data.parse(answer.data).result.data) : undefined;

  return {
    send,
    read,
    withKey,
    post: (procedure: string, input: object): Promise<Answer> =>
      send({ method: "POST", path: `/api/trpc/${procedure}`, headers: withKey, body: JSON.stringify(input) }),
    get: (procedure: string, input: object): Promise<Answer> =>
      send({
        method: "GET",
        path: `/api/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`,
        headers: withKey,
      }),
    /** Opens a subscription, reads its first message and leaves. */
    watch: (runId: string): Promise<Answer> =>
      send({
        method: "GET",
        path: `/api/trpc/runs.watch?input=${encodeURIComponent(JSON.stringify({ id: runId }))}`,
        headers: { ...withKey, accept: "text/event-stream" },
        leaveAfterBytes: 1,
      }),
    /** With the owner's session, which ends when the clock jumps far enough. */
    async asOwner(method: "GET" | "POST", path: string, input?: object): Promise<Answer> {
      if (!cookie) await signIn();
      if (!cookie) return { kind: "none" };
      const headers = {
        cookie,
        origin: world.publicUrl,
        accept: method === "GET" ? "text/html" : "application/json",
        "content-type": "application/json",
      };
      const answer = await send({ method, path, headers, ...(input && { body: JSON.stringify(input) }) });
      if (answer.kind === "refused" && answer.code === "unauthorized") cookie = undefined;
      return answer;
    },
  };
}
export type Calls = ReturnType<typeof createCalls>;
