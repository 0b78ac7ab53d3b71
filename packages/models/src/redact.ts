/** Values that a text of a server must not show: keys, addresses and hosts. */
const secrets = [
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/\S+/gi,
  /[^\s@"'<>]{1,64}@[^\s@"'<>]{1,255}/g,
  /\[[0-9a-f:]{2,45}\](?::\d{1,5})?/gi,
  /\b(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{1,4}\b/gi,
  /\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?::\d{1,5})?\b/g,
  /\b(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?::\d{1,5})?\b/gi,
  /\blocalhost(?::\d{1,5})?\b/gi,
  /\b(?:bearer|basic)\s+\S+/gi,
  /\b(?:sk|pk|rk|key|token|secret|api)[-_][\w*.…-]{4,}/gi,
];
const words = /[\w+/=*-]{20,}/g;

const maxLength = 300;

/** The text of a server for people: on one line, without keys, addresses and characters that cannot be seen. */
export function redact(text: string, apiKey: string | null): string {
  let shown = text.slice(0, 2_000).replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
  if (apiKey !== null && apiKey !== "") shown = shown.replaceAll(apiKey, hidden);
  for (const secret of secrets) shown = shown.replaceAll(secret, hidden);
  // A long word with digits in it is rarely one for people.
  shown = shown.replaceAll(words, (word) => (/\d/.test(word) ? hidden : word));
  return shown.slice(0, maxLength);
}

const hidden = "[removed]";
