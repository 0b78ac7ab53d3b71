/** The name of a download: a title and the day of the result, without what file systems refuse. */
export function toFileName(title: string, at: string, ending: string): string {
  const clean = title
    .normalize("NFC")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what file systems refuse
    .replace(/[\u0000-\u001f\u007f<>:"/\\|?*\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/gu, " ")
    .split(/\s/)
    // Dots alone, as in "..", would name a folder.
    .filter((word) => word !== "" && !/^\.+$/.test(word))
    .join(" ");
  const cut = [...clean].slice(0, 100).join("").trim();
  return `${cut === "" ? "result" : cut} ${at.slice(0, 10)}${ending}`;
}

/** The header that gives a download its name (RFC 6266). Old programs read the part without other letters. */
export function attachmentNamed(fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  if (plain === fileName) return `attachment; filename="${plain}"`;
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
