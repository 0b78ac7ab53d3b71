import { webhook } from "@querybell/webhook-receiver/next";
import { after } from "next/server";
import { failing, handle, receiver } from "../../../handling.ts";

export const POST = webhook(receiver, handle, { ...failing, waitUntil: after });
