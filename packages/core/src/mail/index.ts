export { type Mail, openQueuedMail } from "./mail.ts";
