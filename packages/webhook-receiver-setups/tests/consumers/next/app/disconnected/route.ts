import { webhook } from "@querybell/webhook-receiver/next";
import { after } from "next/server";
import { clientDisconnected, handle, later, slowReceiver } from "../../../handling.ts";

const answer = webhook(slowReceiver, handle, { ...later, waitUntil: after });

export function POST(request: Request) {
  request.signal.addEventListener("abort", clientDisconnected);
  return answer(request);
}
