import { styleText } from "node:util";
import { demoSignIn } from "@querybell/core";

/** What a person needs next. The retired routes are never among the examples. */
export function closingMessage({
  url,
  key,
  logFolder,
}: {
  url: string;
  key: string;
  logFolder: string;
}): string {
  const command = (text: string) => styleText("bold", text);
  return `
${styleText("green", "Querybell is running.")}

  Open          ${command(url)}
  Sign in with  ${command(demoSignIn.email)}  password  ${command(demoSignIn.password)}
  API key       ${command(key)}  (the key of an earlier start no longer works)

Try it from another terminal:

  curl -H 'Authorization: Bearer ${key}' ${url}/api/key
  curl -H 'Authorization: Bearer ${key}' ${url}/api/trpc/keys.describe

Docs: ${url}/docs/    Logs: ${logFolder}    Stop with Ctrl-C.
`;
}
