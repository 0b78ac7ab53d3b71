export { standIn } from "../messages/testing/stand-in.ts";
export { type Behaviour, startReceiver } from "../send/testing/receiver.ts";
export { answer, createDeliveryTools } from "./delivery-tools.ts";
export { waitUntilBlocked, whileOtherTransaction } from "./other-transaction.ts";
