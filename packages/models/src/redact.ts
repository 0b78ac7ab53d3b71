/** Keys as servers write them, with the word before them. */
const keys = [/\b(?:bearer|basic)\s+\S+/gi, /\b(?:sk|pk|rk|key|token|secret|api)[-_][\w*.…-]{4,}/gi];

const dots = /[。｡․﹒ꓸ‧⸱۔]/gu;
const around = /^[("'<[{,;:.!?]+|(?<![)"'>\]},;:.!?])[)"'>\]},;:.!?]+$/g;
/** What makes a word an address: no word for people has it. */
const addresses = [
  /[@=\\]|:\/\/|\/\/|::|^\/|%[\da-f]{2}/i,
  /[^\s.]\.[\p{L}\p{M}]{2}/u,
  /[[({](?:\.|dot)[\])}]/,
  /\d\.\d+\.\d+\.\d/,
  /^localhost\b/i,
  /:\d{2,5}(?:\/|$)|^(?:mailto|tel|sms|data|javascript):/i,
];
const time = /^\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/;

const maxLength = 300;
/** A part of a key of this length could only come from the key. */
const keyPart = 6;

/** The text of a server for people: on one line, without keys, addresses and characters that cannot be seen. */
export function redact(text: string, apiKey: string | null): string {
  let shown = text.slice(0, 2_000).replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
  if (apiKey !== null && apiKey !== "") shown = withoutKey(shown, apiKey);
  for (const key of keys) shown = shown.replaceAll(key, hidden);
  return shown
    .split(" ")
    .map((word) => (isForPeople(word) ? word : hidden))
    .join(" ")
    .slice(0, maxLength);
}

function isForPeople(word: string): boolean {
  const plain = word.replaceAll(hidden, "").normalize("NFKC").replaceAll(dots, ".").replaceAll(around, "");
  if (addresses.some((form) => form.test(plain)) && !time.test(plain)) return false;
  // A long word with digits in it is rarely one for people.
  return !(/[\w+/=*-]{20,}/.test(plain) && /\d/.test(plain));
}

/** Without the key, and without longer parts of it, as servers that shorten keys write them. */
function withoutKey(text: string, apiKey: string): string {
  const [lower, key] = [toLower(text), toLower(apiKey)];
  const length = Math.min(keyPart, key.length);
  const parts = new Set(
    Array.from({ length: key.length - length + 1 }, (_, at) => key.slice(at, at + length)),
  );
  let shown = "";
  for (let at = 0; at < text.length; ) {
    let end = at;
    for (let next = at; next <= end && parts.has(lower.slice(next, next + length)); next++)
      end = next + length;
    shown += end > at ? hidden : text.charAt(at);
    at = Math.max(end, at + 1);
  }
  return shown;
}

/** Of ASCII only, so that no letter becomes two. */
const toLower = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

const hidden = "[removed]";
