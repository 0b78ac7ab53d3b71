import { openQueuedMail } from "@querybell/core/mail";
import { defineTask } from "../define-task.ts";

export const sendMail = defineTask("send_mail", async ({ deps, mailer }, { sealed }) => {
  await mailer.send(openQueuedMail(deps, sealed));
});
