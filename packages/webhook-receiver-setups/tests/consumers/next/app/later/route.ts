import { webhook } from "@querybell/webhook-receiver/next";
import { after } from "next/server";
import { handleLater, later, receiver } from "../../../handling.ts";

export const POST = webhook(receiver, handleLater, { ...later, waitUntil: after });
