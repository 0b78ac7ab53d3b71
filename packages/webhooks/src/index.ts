export { createAttemptPartitions } from "./deliveries/attempt-partitions.ts";
export {
  cancelEventDeliveries,
  cancelHeldDeliveries,
  cancelRecoveryDeliveries,
} from "./deliveries/cancel-deliveries.ts";
export { countEndpoints } from "./deliveries/count-endpoints.ts";
export { countUnfinishedDeliveries } from "./deliveries/count-unfinished.ts";
export { createEvent, emitEvents } from "./deliveries/emit-events.ts";
export { countFailedDeliveries } from "./deliveries/failed-deliveries.ts";
export { type DeliveryRow, findDeliveries, findDelivery } from "./deliveries/find-deliveries.ts";
export { holdPendingDeliveries } from "./deliveries/hold-pending-deliveries.ts";
export { insertDelivery } from "./deliveries/insert-delivery.ts";
export { purgeWebhookHistory } from "./deliveries/purge-history.ts";
export { readDeliveryBacklog } from "./deliveries/read-backlog.ts";
export { readEndpointActivity } from "./deliveries/read-endpoint-activity.ts";
export {
  type EndpointsToWake,
  wakePumps,
  wakePumpsAfterCommit,
  wakePumpsNow,
} from "./deliveries/wake-pumps.ts";
export type { PumpObserver, PumpOptions, PumpStats } from "./pump/options.ts";
export { type Pump, startPump } from "./pump/pump.ts";
export { openHeaders, openSecret, sealHeaders, sealSecret } from "./secrets/sealed.ts";
export { createSecretText, findSecretFlaw, parseSecret } from "./secrets/secret-text.ts";
export { checkCustomHeaders } from "./send/custom-headers.ts";
export { createSender, type SenderOptions } from "./send/sender.ts";
export { sign } from "./send/signing.ts";
