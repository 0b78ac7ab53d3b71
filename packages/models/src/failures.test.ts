import { expect, test } from "vitest";
import { redact } from "./failures.ts";

test.each([
  ["Incorrect API key provided: sk-abc***xyz.", "Incorrect API key provided: [removed]"],
  ["The key hunter2 is wrong", "The key [removed] is wrong"],
  ["connect ECONNREFUSED 10.0.0.5:8000", "connect ECONNREFUSED [removed]"],
  ["connect ECONNREFUSED ::1:8000", "connect ECONNREFUSED [removed]"],
  ["connect ECONNREFUSED [fe80::1]:8000", "connect ECONNREFUSED [removed]"],
  ["upstream vllm-7:8000 is down", "upstream [removed] is down"],
  ["See (evil。com), evil[.]com or пример.рф.", "See [removed] [removed] or [removed]"],
  ["See [removed]evil.com", "See [removed]"],
  ["See //evil/x and /srv/models/llama", "See [removed] and [removed]"],
  ['model "llama3.2:3b" not found', 'model "llama3.2:3b" not found'],
  ["Wrong ?api_key=abc and/or a wrong name.", "Wrong [removed] and/or a wrong name."],
  ["Try again at 12:30:05, in 1.5 seconds.", "Try again at 12:30:05, in 1.5 seconds."],
  ["getaddrinfo ENOTFOUND models.internal.example", "getaddrinfo ENOTFOUND [removed]"],
  ["See https://evil.example/login?x=1 now", "See [removed] now"],
  ["Ask admin@corp.example", "Ask [removed]"],
  ["Authorization: Bearer abc.def", "Authorization: [removed]"],
  ["id 8f14e45fceea167a5a36dedd4bea2543 failed", "id [removed] failed"],
  ["The model gpt-3.5-turbo does not exist", "The model gpt-3.5-turbo does not exist"],
  ["one\u202etwo\nthree", "one two three"],
])("%s", (text, shown) => {
  expect(redact(text, "hunter2")).toBe(shown);
});

test("parts of the key are removed, too", () => {
  expect(redact("Key ABCDEFGH…789xyz is wrong, abc is not", "abcdefghi-456789xyz")).toBe(
    "Key [removed]…[removed] is wrong, abc is not",
  );
});

test("a long text costs little", () => {
  expect(redact("a.".repeat(500_000), null).length).toBeLessThanOrEqual(300);
});
