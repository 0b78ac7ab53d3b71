import type { NoticeChannel } from "@querybell/db";

/** Carries the id of an endpoint that has something due and nobody to see it, or whose settings changed. */
export const wakeUpChannel: NoticeChannel = "querybell_webhooks";
