import type { Behaviour } from "../../send/testing/receiver.ts";
import { DiscordMessage } from "./discord-limits.ts";
import { SlackMessage } from "./slack-limits.ts";
import { TeamsMessage } from "./teams-limits.ts";

const limits = { slack: SlackMessage, teams: TeamsMessage, discord: DiscordMessage };

/** Answers as a place does: 200 to a message within its limits, 400 to any other. */
export const standIn =
  (kind: keyof typeof limits): Behaviour =>
  async (response, { headers }, body) => {
    const { success, error } = limits[kind].safeParse(await readJson(headers["content-type"] ?? "", body));
    response.writeHead(success ? 200 : 400).end(success ? "ok" : error.message);
  };

/** The message of a request: its body, or the field of a form that also has files. */
async function readJson(contentType: string, body: Buffer): Promise<unknown> {
  if (!contentType.startsWith("multipart/form-data")) return JSON.parse(body.toString());
  const form = await new Response(new Uint8Array(body), {
    headers: { "content-type": contentType },
  }).formData();
  return JSON.parse(String(form.get("payload_json")));
}
