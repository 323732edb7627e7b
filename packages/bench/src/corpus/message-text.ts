const COMMON_TEXT = "the error in deploy step failed because server did not answer and retry was not safe for a file";
const COMMON = COMMON_TEXT.split(" ");
const SYLLABLES = ["ba", "ko", "ri", "ten", "sul", "mer", "ga", "vo", "lin", "dra", "pex", "ot"];
const HAN = "部署失败因为服务器没有响应请检查日志文件然后重新启动健康检查";

/** A text of about `words` words: common ones, rare ones, and Chinese in one of twenty. */
export function messageText(random: () => number, words: number): string {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  if (random() < 0.05) {
    const from = Math.floor(random() * (HAN.length - 8));
    return Array.from({ length: Math.ceil(words / 8) }, () => HAN.slice(from, from + 8)).join("，");
  }
  const rare = (): string => Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(SYLLABLES)).join("");
  const word = (): string => (random() < 0.6 ? pick(COMMON) : rare());
  return Array.from({ length: words }, word).join(" ");
}
