/**
 * The plain number of a WhatsApp person: without the device (`:47`), the server (`@s.whatsapp.net`, `@lid`, ...) and a
 * leading "+", so that one person keeps one session however the bridge spells the id.
 *
 * @param aliases - Other numbers the bridge knows for the same person (a phone number and a LID); the shortest, and of
 * those the first in order, stands for all.
 */
export function whatsappNumber(id: string, aliases?: (number: string) => Iterable<string>): string {
  const number = plain(id);
  if (number === "" || aliases === undefined) return number === "" ? id : number;
  const all = [number, ...[...aliases(number)].map(plain).filter((other) => other !== "")];
  return all.reduce((least, other) => (comesFirst(other, least) ? other : least));
}

function plain(id: string): string {
  return id
    .trim()
    .replace(/^\+/, "")
    .replace(/[:@].*$/s, "");
}

function comesFirst(a: string, b: string): boolean {
  return a.length === b.length ? a < b : a.length < b.length;
}
