/** The name of a file that is downloaded or sent: a title and the day of the result, without what file systems refuse. */
export function toDownloadName(title: string, at: string, ending: string): string {
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
