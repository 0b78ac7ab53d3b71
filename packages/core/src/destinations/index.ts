export { createDestination, updateDestination } from "./change-destination.ts";
export { getDestination, listDestinationChoices, listDestinations } from "./get-destination.ts";
export { createMessenger } from "./messenger.ts";
export type { DestinationMail } from "./send-mail.ts";
