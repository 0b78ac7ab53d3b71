export { createSender } from "@querybell/webhooks";
export { endSubscription, listSubscriptions } from "./list-subscriptions.ts";
export {
  type EventSubscribed,
  type SubscribeDeps,
  type SubscribeToEvents,
  subscribeToEvents,
  unsubscribeFromEvents,
} from "./subscribe.ts";
