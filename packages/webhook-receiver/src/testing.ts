export { createFakeSender, type FakeSender, type FakeSenderOptions, type Target } from "./lib/fake-sender.ts";
export { type SentEvent, sampleEvent } from "./lib/sample-event.ts";
export { createSecret, type SignedRequest, type SignOptions, signRequest } from "./lib/sign-request.ts";
