/** Schemes that open something when a mail or chat program makes a link of them. */
const schemes =
  /\b(?:https?|ftps?|sftp|file|javascript|vbscript|data|mailto|tel|sms|callto|sips?|facetime|skype|whatsapp|signal|msteams|discord|zoommtg|blob|about|intent|market|wss?|ssh|telnet|git|ldaps?|smb|irc|xmpp|matrix|slack|tg|magnet|geo|maps|bitcoin|ethereum|steam|vscode|web\+[a-z]+):(?=\S)/;
const slashes = /\/\/|\\\\|^\s*\//;
/** A dot between a letter or digit and letters: evil.com, and by mistake also St.Gallen. */
const domain = /[^\s.]\.[\p{L}\p{M}]{2}/u;
/** "evil . com" and "evil .com". After the end of a sentence there is a space only behind the dot. */
const spacedDomain = /\s\.\s?[\p{L}\p{M}]{2}/u;
const numericAddress = /\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|::|(?:[\da-f]{1,4}:){4}/;
const localHost = /\blocalhost\b|[a-z\d-]:\d{2,5}\//;
const wordedDot =
  /[[({<]\s?(?:\.|dot|punkt|point|punto)\s?[\])}>]|\s(?:dot|punkt|point|punto)\s(?:com|net|org|info|biz|io|co|de|fr|es|uk|ru|cn|ai|app|dev|me|xyz|top|shop|site|link|online)\b/;
const mention = /@/;
const hostPrefix = /\b(?:xn--|www\.)/;
const markup = /!\[|\]\(|<[\p{L}!/@#]|```|&#?[\p{L}\p{N}]{2,8};/u;

/** Characters that look like a dot, or that programs take for one. */
const dots = /[。．｡․﹒ꓸ·‧∙⋅۔܁܂።᙮⳹⳾⸱⸳⸼꘎꛳︒•]/gu;
const slashLike = /[／⁄∕⧸⫽]/gu;
const colonLike = /[：﹕∶ː꞉]/gu;

/** Whether a text holds an address or a domain in any form, a mention, or markup. */
export function hasAddress(text: string): boolean {
  const written = toAscii(text);
  return [written, decodePercent(written), decodePercent(decodePercent(written))].some(isAddress);
}

const toAscii = (text: string): string =>
  text
    .normalize("NFKC")
    .replaceAll(/[\u200b-\u200f\u2060\ufeff\u00ad]/g, "")
    .replaceAll(dots, ".")
    .replaceAll(slashLike, "/")
    .replaceAll(colonLike, ":")
    .toLowerCase();

const forms = [
  ...[schemes, slashes, domain, spacedDomain, numericAddress, localHost],
  ...[wordedDot, mention, hostPrefix, markup],
];
const isAddress = (text: string): boolean => forms.some((form) => form.test(text));

/** Decodes what it can: %2e and %2f. */
const decodePercent = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
