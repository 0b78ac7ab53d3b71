export { createAttemptPartitions } from "./deliveries/attempt-partitions.ts";
export { createEvent, insertDelivery } from "./deliveries/create-deliveries.ts";
export { countUnfinishedDeliveries, readEndpointActivity } from "./deliveries/endpoint-activity.ts";
export { type DeliveryRow, findDeliveries, findDelivery } from "./deliveries/find-deliveries.ts";
export { type DirectMessage, insertMessages } from "./deliveries/insert-messages.ts";
export { countEndpoints, readDeliveryBacklog } from "./deliveries/installation-counts.ts";
export { purgeWebhookHistory } from "./deliveries/purge-history.ts";
export { countFailedDeliveries } from "./deliveries/recoveries.ts";
export {
  cancelEventDeliveries,
  cancelHeldDeliveries,
  cancelRecoveryDeliveries,
  holdPendingDeliveries,
} from "./deliveries/stop-deliveries.ts";
export {
  type EndpointsToWake,
  wakePumps,
  wakePumpsAfterCommit,
  wakePumpsNow,
} from "./deliveries/wake-pumps.ts";
export { toDiscordMessage, toDiscordPost } from "./messages/discord.ts";
export { toMail } from "./messages/mail.ts";
export type { Message, MessageFile, MessagePicture, PictureAddress } from "./messages/message.ts";
export { type MessageTable, tableLimits } from "./messages/message-table.ts";
export { toSlackMessage } from "./messages/slack.ts";
export { toTeamsMessage } from "./messages/teams.ts";
export { type Pump, type PumpObserver, type PumpStats, startPump } from "./pump/pump.ts";
export {
  createSecretText,
  findSecretFlaw,
  openHeaders,
  openSecret,
  parseSecret,
  parseSubscriptionSecret,
  sealHeaders,
  sealSecret,
} from "./secrets.ts";
export { type ChallengeFailure, challengeReceiver, tellTerminated } from "./send/challenge.ts";
export { checkCustomHeaders } from "./send/custom-headers.ts";
export { endOfEventId, formatEventCursor, parseEventCursor, toSentBody } from "./send/event-body.ts";
export type { DeliveredEvent, MessageRecipient, Messenger } from "./send/messenger.ts";
export { type AttemptResult, type Outcome, toConnectionFailure } from "./send/outcome.ts";
export { sign } from "./send/recipient.ts";
export { attemptWithoutRequest, createSender, type Sender } from "./send/sender.ts";
