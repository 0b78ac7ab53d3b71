export type { Behaviour } from "../send/testing/receiver.ts";
export { answer, createDeliveryTools } from "./delivery-tools.ts";
export { untilItWaits, whileAnother } from "./while-another.ts";
