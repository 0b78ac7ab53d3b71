import { webhook } from "@querybell/webhook-receiver/next";
import { handle, onRefused, receiver } from "../../../handling.ts";

export const POST = webhook(receiver, handle, { onRefused });
