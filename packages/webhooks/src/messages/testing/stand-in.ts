import type { Behaviour } from "../../send/testing/receiver.ts";
import { DiscordMessage } from "./discord-limits.ts";
import { SlackMessage } from "./slack-limits.ts";
import { TeamsMessage } from "./teams-limits.ts";

const limits = { slack: SlackMessage, teams: TeamsMessage, discord: DiscordMessage };

/** Answers as a place does: 200 to a message within its limits, 400 to any other. */
export const standIn =
  (kind: keyof typeof limits): Behaviour =>
  (response, _, body) => {
    const { success, error } = limits[kind].safeParse(JSON.parse(body.toString()));
    response.writeHead(success ? 200 : 400).end(success ? "ok" : error.message);
  };
