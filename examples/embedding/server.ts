import { createPrivateKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const {
  // Where tokens are exchanged, without /e: Settings, Embedding shows it.
  QUERYBELL_URL = "http://localhost:4003",
  // The id of the embedding key.
  QUERYBELL_KEY_ID = "",
  // A file with the private key. It never leaves this server.
  QUERYBELL_PRIVATE_KEY = "querybell.pem",
  // "chart:<short id of its permalink>" or "dashboard:<id in its address>".
  QUERYBELL_ITEM = "",
  // JSON: the values that the visitor neither sees nor changes, and the filters that they may change.
  QUERYBELL_LOCKED = "{}",
  QUERYBELL_OPEN = "[]",
  PORT = "3000",
} = process.env;

const privateKey = createPrivateKey(readFileSync(QUERYBELL_PRIVATE_KEY));
const [kind = "", id = ""] = QUERYBELL_ITEM.split(":");

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A JWT, signed with Ed25519. Libraries for JWT do the same. */
function signToken(claims: object): string {
  const header = { alg: "EdDSA", typ: "JWT", kid: QUERYBELL_KEY_ID };
  const now = Math.floor(Date.now() / 1000);
  const text = `${encode(header)}.${encode({ aud: "querybell-embed", iat: now, exp: now + 3600, ...claims })}`;
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString("base64url")}`;
}

/** The address of a frame for one visitor. In your application, locked values come from who is signed in. */
async function openFrame(): Promise<string> {
  const token = signToken({
    item: { kind, id },
    locked: JSON.parse(QUERYBELL_LOCKED),
    open: JSON.parse(QUERYBELL_OPEN),
  });
  const response = await fetch(`${QUERYBELL_URL}/e`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  const answer: { url?: string; error?: { message: string } } = JSON.parse(await response.text());
  if (answer.url === undefined)
    throw new Error(answer.error?.message ?? `Querybell answered ${response.status}.`);
  return answer.url;
}

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A customer portal</title>
<script src="${QUERYBELL_URL}/e/embed.js"></script>
<main>
  <h1>A customer portal</h1>
  <button id="theme">Dark</button>
  <p id="state" role="status">Loading</p>
  <div id="chart"></div>
</main>
<script type="module">
  const { url } = await (await fetch("/frame")).json();
  const state = document.getElementById("state");
  const shown = QuerybellEmbed.show(document.getElementById("chart"), {
    url,
    title: "Your figures",
    theme: "light",
    onEvent: ({ type, title }) => {
      if (type !== "size") state.textContent = type + ": " + title;
    },
  });
  document.getElementById("theme").onclick = () => shown.setTheme("dark");
</script>
</html>`;

const server = createServer(async ({ url }, response) => {
  try {
    if (url === "/frame") {
      response.setHeader("content-type", "application/json").end(JSON.stringify({ url: await openFrame() }));
    } else {
      response.setHeader("content-type", "text/html; charset=utf-8").end(page);
    }
  } catch (error) {
    console.error(error);
    response.writeHead(502).end();
  }
});
server.listen(Number(PORT), "127.0.0.1", () => {
  const address = server.address();
  console.log(`Open http://localhost:${typeof address === "object" ? address?.port : PORT}`);
});
