export { createSender } from "@querybell/webhooks";
export { endSubscription, listSubscriptions } from "./list-subscriptions.ts";
export {
  type EventSubscribed,
  type SubscribeDeps,
  subscribeToEvents,
  unsubscribeFromEvents,
} from "./subscribe.ts";
export { tellSubscriptionEnded } from "./tell-ended.ts";
